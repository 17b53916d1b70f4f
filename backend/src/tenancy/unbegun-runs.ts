import type { EntityManager } from 'typeorm';

/** Source of runs that have not begun, which end with it: a token with its child tokens, a trust rule, or a member. */
export type TokenSource = 'token' | 'trustRule' | 'member';

/**
 * Number of runs that were started with tokens of these sources and have neither begun nor ended.
 * @returns by ID; sources without such runs are missing
 */
export type UnbegunRuns = (
  tx: EntityManager,
  tenantId: string,
  source: TokenSource,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, number>>;

/** Injection token of `UnbegunRuns`, which the module `executions` implements. */
export const UNBEGUN_RUNS = Symbol('unbegun-runs');

/** Answer to the end of a token, a trust rule or a service account. */
export class EndedRunsView {
  /** Number of runs that had not begun, and are cancelled with it (`token_ended`), usually within seconds. None of them begins. */
  endedRuns: number;
}
