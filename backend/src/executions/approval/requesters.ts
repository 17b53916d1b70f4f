import type { Principal } from '../../common/access/principal.js';

/**
 * User besides the requester who counts as a requester of the run, by kind:
 * - `token`: saw the secret of the token that started the run
 * - `schedule`: wrote what the schedule runs, and that has not run approved there
 * - `schedule_token`: saw the secret of a token with which a member wrote the schedule or became its owner
 */
export interface FurtherRequester {
  userId: string;
  kind: 'token' | 'schedule' | 'schedule_token';
  /** Prefix of the token, or name of the schedule. */
  name: string;
}

/**
 * Returns the further requesters of a run: holders of the credential that starts it, who could start it too, and those
 * of its schedule. Each user appears once, with the first reason.
 */
export function listFurtherRequesters(
  caller: Principal,
  scheduleRequesters: readonly FurtherRequester[],
): FurtherRequester[] {
  const holders = caller.heldBy.map(
    (userId): FurtherRequester => ({ userId, kind: 'token', name: caller.tokenPrefix ?? '' }),
  );
  const first = new Map<string, FurtherRequester>();
  for (const requester of [...holders, ...scheduleRequesters])
    if (requester.userId !== caller.userId && !first.has(requester.userId)) first.set(requester.userId, requester);
  return [...first.values()];
}

/** Returns text that follows "You". */
export function describeRequest({ kind, name }: Pick<FurtherRequester, 'kind' | 'name'>): string {
  switch (kind) {
    case 'token':
      return 'created the token that started this run';
    case 'schedule':
      return `saved the content or times of the schedule "${name}"`;
    case 'schedule_token':
      return `created the token that saved the schedule "${name}"`;
  }
}
