import type { PlanChange } from '../exchange/plan-changes.js';

export const CHANGE_WAYS = ['added', 'removed', 'changed', 'moved'] as const;
type ChangeWay = (typeof CHANGE_WAYS)[number];

export interface PartChange {
  readonly kind: PlanChange['kind'];
  /** Key of the step, or name of the variable; null = fields of the plan. */
  readonly part: string | null;
  /** `moved`: only the position differs. */
  readonly change: ChangeWay;
  /** Changed fields, including `position`; empty if added or removed. */
  readonly fields: string[];
}

/** Field that identifies a part; it is set in every new part. */
const IDENTITY = { plan: null, variable: 'name', step: 'key' } as const;

export function changedParts(changes: readonly PlanChange[]): PartChange[] {
  const parts = new Map<string, PlanChange[]>();
  for (const change of changes) {
    const id = JSON.stringify([change.kind, change.part]);
    const known = parts.get(id);
    if (known) known.push(change);
    else parts.set(id, [change]);
  }
  return [...parts.values()].flatMap((ofPart) => {
    const [first] = ofPart;
    if (!first) return [];
    const change = wayOf(ofPart, IDENTITY[first.kind]);
    const fields = change === 'added' || change === 'removed' ? [] : ofPart.map(({ field }) => field);
    return [{ kind: first.kind, part: first.part, change, fields }];
  });
}

function wayOf(changes: readonly PlanChange[], identity: string | null): ChangeWay {
  const told = changes.find(({ field }) => field === identity);
  if (told) return told.before === null ? 'added' : 'removed';
  return changes.every(({ field }) => field === 'position') ? 'moved' : 'changed';
}
