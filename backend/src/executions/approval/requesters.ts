import type { Principal } from '../../common/access/principal.js';

/**
 * A user besides the requester who counts as a requester of the run.
 * - `token`: they have seen the secret of the token that started it
 * - `schedule`: they wrote what its schedule runs, and that has not run approved there
 * - `schedule_token`: the same with a token whose secret they have seen, or the owner of the schedule became so with
 *   that token
 */
export interface FurtherRequester {
  userId: string;
  kind: 'token' | 'schedule' | 'schedule_token';
  /** Prefix of the token, or name of the schedule. */
  name: string;
}

/** Holders of the credential that starts a run, because they can start it too. One reason each, the first. */
export function furtherRequestersOf(caller: Principal, ofSchedule: readonly FurtherRequester[]): FurtherRequester[] {
  const holders = caller.heldBy.map(
    (userId): FurtherRequester => ({ userId, kind: 'token', name: caller.tokenPrefix ?? '' }),
  );
  const first = new Map<string, FurtherRequester>();
  for (const asker of [...holders, ...ofSchedule])
    if (asker.userId !== caller.userId && !first.has(asker.userId)) first.set(asker.userId, asker);
  return [...first.values()];
}

/** Text of their action, after "You". */
export function requestText({ kind, name }: Pick<FurtherRequester, 'kind' | 'name'>): string {
  switch (kind) {
    case 'token':
      return 'created the token that started this run';
    case 'schedule':
      return `saved the content or times of the schedule "${name}"`;
    case 'schedule_token':
      return `created the token that saved the schedule "${name}"`;
  }
}
