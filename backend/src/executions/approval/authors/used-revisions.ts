import type { FrozenLibrary, FrozenCalledPlan } from '../../record/run-content.js';

type UsedRevisionKind = 'plan' | 'script' | 'template';

export interface UsedRevision {
  kind: UsedRevisionKind;
  id: string;
  name: string;
  revision: number;
}

/** Revisions of a record that have not run approved in the environment: after `after`, up to and including `upTo`. */
export interface UnapprovedRevisions {
  kind: UsedRevisionKind;
  id: string;
  name: string;
  after: number;
  upTo: number;
}

export function listUsedRevisions(
  plan: { id: string; name: string; revision: number },
  library: Pick<FrozenLibrary, 'scripts' | 'templates'> | undefined,
  called: readonly FrozenCalledPlan[] = [],
): UsedRevision[] {
  const of = (kind: UsedRevisionKind, records: Record<string, { name: string; revision: number }>): UsedRevision[] =>
    Object.entries(records).map(([id, { name, revision }]) => ({ kind, id, name, revision }));
  return [
    { kind: 'plan', ...plan },
    ...called.map(({ planId: id, name, revision }): UsedRevision => ({ kind: 'plan', id, name, revision })),
    ...of('script', library?.scripts ?? {}),
    ...of('template', library?.templates ?? {}),
  ];
}

/**
 * Returns the content of a run that has not run approved in its environment.
 * @param approved revision of each record in the last approved run there, by ID; null = no such run
 */
export function listUnapprovedRevisions(
  used: readonly UsedRevision[],
  approved: ReadonlyMap<string, number> | null,
): UnapprovedRevisions[] {
  return used.flatMap(({ revision: upTo, ...record }) => {
    const ran = approved?.get(record.id) ?? 0;
    // When the run uses an older revision than the approved run, that revision was never approved: all its authors
    // count.
    const after = ran > upTo ? 0 : ran;
    return after === upTo ? [] : [{ ...record, after, upTo }];
  });
}
