import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql, type Sql } from '../../common/database/sql.js';
import { type GivenRight, givenRightsSql } from '../../tenancy/given-rights.js';
import type { RunRef } from '../record/run-head.js';

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

/**
 * User whose right to approve came from a requester of the run. The right counts if it is newer than the last approved
 * run of the plan in the environment. Without such a run, it counts if it is newer than this run.
 */
export interface RightFromRequester {
  userId: string;
  kind: 'right';
  name: string;
  right: GivenRight;
}

/**
 * SQL: time after which a received right counts. It is the latest begin of an approved run of the plan in the
 * environment, else the creation of this run.
 */
const lastStartBeforeSql = (run: Sql): Sql =>
  sql`coalesce((select max(ran.started_at) from executions ran
      where ran.tenant_id = ${run}.tenant_id and ran.plan_id = ${run}.plan_id and ran.environment_id = ${run}.environment_id
        and ran.started_at is not null and ran.execution_mode <> 'dry_run' and ran.id <> ${run}.id
        and (select a.state from approvals a where a.execution_id = ran.id order by a.round desc limit 1) = 'approved'),
    ${run}.created_at)`;

const isRequesterSql = (round: Sql, user: Sql): Sql =>
  sql`(${round}.requested_by = ${user} or exists (select 1 from approval_authors asker
    where asker.execution_id = ${round}.execution_id and asker.round = ${round}.round and asker.user_id = ${user}
      and asker.kind in ('token', 'schedule', 'schedule_token')))`;

/** Part of a statement after `from`: rights that a requester of the run gave, as `given`. @param filter on `given` */
const selectGivenRightsSql = (round: Sql, run: Sql, filter: Sql): Sql =>
  sql`${givenRightsSql(sql`${run}.tenant_id`, sql`${run}.environment_id`)} given
    where ${filter} and given.given_by <> given.user_id and ${isRequesterSql(round, sql.raw('given.given_by'))}
      and given.given_at > ${lastStartBeforeSql(run)}`;

/** Condition on an approval round and its run: the user has a right from a requester of the run. */
export const gotRightFromRequesterSql = (round: Sql, run: Sql, userId: string): Sql =>
  sql`exists (select from ${selectGivenRightsSql(round, run, sql`given.user_id = ${userId}::uuid`)})`;

/** Returns those of the users who have a right from a requester of the run, each with one such right. */
export function findRightsFromRequesters(
  tx: EntityManager,
  { executionId }: RunRef,
  round: number,
  userIds: readonly string[],
): Promise<RightFromRequester[]> {
  const given = selectGivenRightsSql(sql.raw('asking'), sql.raw('run'), sql`given.user_id = any (${userIds})`);
  return rows(
    tx,
    sql<RightFromRequester>`
      select distinct on (given.user_id) given.user_id as "userId", 'right' as kind, given.given_by_name as name,
        given.kind as "right"
      from approvals asking join executions run on run.id = asking.execution_id
      cross join lateral (select * from ${given}) given
      where asking.execution_id = ${executionId} and asking.round = ${round} order by given.user_id, given.given_at desc`,
  );
}

const GIVEN_RIGHT_TEXTS: Record<GivenRight, string> = {
  membership: 'added you as a member',
  role: 'changed your role',
  password: 'created the link to set your password',
  grant: 'gave you your grant',
};

/** Returns text such as `Ana gave you your grant`. */
export const describeGivenRight = ({ name, right }: Pick<RightFromRequester, 'name' | 'right'>): string =>
  `${name} ${GIVEN_RIGHT_TEXTS[right]}`;
