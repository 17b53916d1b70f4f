import type { FrozenLibrary } from '../../record/library.js';
import type { FrozenCalledPlan } from '../../record/run-content.js';

type UsedKind = 'plan' | 'script' | 'template';

export interface UsedRevision {
  kind: UsedKind;
  id: string;
  name: string;
  revision: number;
}

/** Revisions of a used record that have not run approved there: after `after`, up to `upTo`. */
export interface UnapprovedRange {
  kind: UsedKind;
  id: string;
  name: string;
  after: number;
  upTo: number;
}

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
 * Content of a run that has not run approved in its environment.
 * @param approved revisions of the last approved run there, by id; null: no such run
 */
export function unapprovedRanges(
  used: readonly UsedRevision[],
  approved: ReadonlyMap<string, number> | null,
): UnapprovedRange[] {
  return used.flatMap(({ revision: upTo, ...record }) => {
    const ran = approved?.get(record.id) ?? 0;
    // A revision older than the approved one was not approved: all of its authors count.
    const after = ran > upTo ? 0 : ran;
    return after === upTo ? [] : [{ ...record, after, upTo }];
  });
}
