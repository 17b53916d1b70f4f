import type { ActiveFreeze } from '../../api/types';
import { useNow } from '../format/useNow';
import { holds } from './freeze';

/** Returns the freeze while it applies, because a cached one may have ended. */
export function useFreeze(read: ActiveFreeze | null): ActiveFreeze | null {
  const now = useNow();
  return holds(read, now) ? read : null;
}
