import type { ActiveFreeze } from '../../api/types';
import { useNow } from '../format/useNow';
import { holds } from './freeze';

/** A freeze while it applies; a cached one may have ended. */
export function useFreeze(read: ActiveFreeze | null): ActiveFreeze | null {
  const now = useNow();
  return holds(read, now) ? read : null;
}
