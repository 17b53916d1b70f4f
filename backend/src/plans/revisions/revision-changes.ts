import type { PlanChange } from '../exchange/plan-changes.js';

export const CHANGE_KINDS = ['added', 'removed', 'changed', 'moved'] as const;
type ChangeKind = (typeof CHANGE_KINDS)[number];

export interface PartChange {
  readonly kind: PlanChange['kind'];
  /** Key of the step, or name of the variable; null = fields of the plan itself. */
  readonly part: string | null;
  /** `moved`: only the position differs. */
  readonly change: ChangeKind;
  /** Changed fields, including `position`; empty for an added or removed part. */
  readonly fields: string[];
}

/** Field that identifies a part. It is set in every new part. */
const IDENTITY_FIELDS = { plan: null, variable: 'name', step: 'key' } as const;

export function toChangedParts(changes: readonly PlanChange[]): PartChange[] {
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
    const change = toChangeKind(ofPart, IDENTITY_FIELDS[first.kind]);
    const fields = change === 'added' || change === 'removed' ? [] : ofPart.map(({ field }) => field);
    return [{ kind: first.kind, part: first.part, change, fields }];
  });
}

function toChangeKind(changes: readonly PlanChange[], identity: string | null): ChangeKind {
  const identityChange = changes.find(({ field }) => field === identity);
  if (identityChange) return identityChange.before === null ? 'added' : 'removed';
  return changes.every(({ field }) => field === 'position') ? 'moved' : 'changed';
}
