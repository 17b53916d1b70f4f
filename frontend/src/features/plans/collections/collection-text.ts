import type { Collection } from '../../../api/types';
import { plural } from '../../../ui/format/format';

/** Returns why a collection can't be deleted; null: it contains nothing that the member can see. */
export function obstacleToDeletion({ planCount }: Pick<Collection, 'planCount'>, collections: number): string | null {
  const parts = [
    ...(planCount > 0 ? [plural(planCount, 'plan')] : []),
    ...(collections > 0 ? [plural(collections, 'collection')] : []),
  ];
  if (parts.length === 0) return null;
  const one = planCount + collections === 1;
  return `Contains ${parts.join(' and ')}: move or delete ${one ? 'it' : 'them'} first`;
}
