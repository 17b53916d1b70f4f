import type { FrozenLibrary } from '../../record/library.js';
import type { FrozenCalledPlan } from '../../record/run-content.js';

/** What has revisions that a run freezes. */
type UsedKind = 'plan' | 'script' | 'template';

/** One revision that a run uses. */
export interface UsedRevision {
  kind: UsedKind;
  id: string;
  name: string;
  revision: number;
}

/** What of a record a run uses that has not run approved there: the revisions after `after`, up to `upTo`. */
export interface UnapprovedRange {
  kind: UsedKind;
  id: string;
  name: string;
  after: number;
  upTo: number;
}

/** What a run uses, the plan first. */
export function usedRevisions(
  plan: { id: string; name: string; revision: number },
  library: Pick<FrozenLibrary, 'scripts' | 'templates'> | undefined,
  called: readonly FrozenCalledPlan[] = [],
): UsedRevision[] {
  const of = (kind: UsedKind, records: Record<string, { name: string; revision: number }>): UsedRevision[] =>
    Object.entries(records).map(([id, { name, revision }]) => ({ kind, id, name, revision }));
  return [
    { kind: 'plan', ...plan },
    ...called.map(({ planId: id, name, revision }): UsedRevision => ({ kind: 'plan', id, name, revision })),
    ...of('script', library?.scripts ?? {}),
    ...of('template', library?.templates ?? {}),
  ];
}

/**
 * What of a run has not run approved in its environment.
 * @param approved what the run used that last ran approved there, by id; null: none did
 */
export function unapprovedRanges(
  used: readonly UsedRevision[],
  approved: ReadonlyMap<string, number> | null,
): UnapprovedRange[] {
  return used.flatMap(({ revision: upTo, ...record }) => {
    const ran = approved?.get(record.id) ?? 0;
    // An older revision than the one that ran is none that was approved: whoever wrote any of it counts.
    const after = ran > upTo ? 0 : ran;
    return after === upTo ? [] : [{ ...record, after, upTo }];
  });
}
