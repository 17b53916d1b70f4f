import type { EntityManager } from 'typeorm';

/** Source of runs that end with it if they have not begun: a token with its child tokens, a trust rule, or a member. */
export type TokenSource = 'token' | 'trustRule' | 'member';

/**
 * Counts the runs that were started with tokens of these sources and have neither begun nor ended.
 * @returns number by ID; sources without such runs are missing
 */
export type UnbegunRuns = (
  tx: EntityManager,
  tenantId: string,
  source: TokenSource,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, number>>;

export const UNBEGUN_RUNS = Symbol('unbegun-runs');

/** Answer to the end of a token, a trust rule or a service account. */
export class EndedRunsView {
  /**
   * Number of runs that had not begun. They are cancelled (`token_ended`), usually within seconds, and none of them
   * begins.
   */
  endedRuns: number;
}
