import type { EntityManager } from 'typeorm';

/** What can end, and the runs with it that have not begun: a token with those made with it, a trust rule, a member. */
export type TokenSource = 'token' | 'trustRule' | 'member';

/**
 * Number of runs that were started with tokens of these sources, have begun no step and have not ended.
 * @returns by id; sources without such runs are missing
 */
export type UnbegunRuns = (
  tx: EntityManager,
  tenantId: string,
  source: TokenSource,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, number>>;

/** Injection token of `UnbegunRuns`; the module `executions` answers it. */
export const UNBEGUN_RUNS = Symbol('unbegun-runs');

/** Answer to the end of a token, a trust rule or a service account. */
export class EndedRunsView {
  /** Number of runs that had not begun, and are cancelled with it (`token_ended`), usually within seconds. None of them begins. */
  endedRuns: number;
}
