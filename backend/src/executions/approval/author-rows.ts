import type { EntityManager } from 'typeorm';
import { affected, rows, sql } from '../../common/database/sql.js';
import type { RunRef } from '../record/run-head.js';
import type { InvolvedMember } from './approval-policy.js';
import type { Author } from './authors/author-kinds.js';
import { type FurtherRequester, findRightsFromRequesters } from './rights-from-requesters.js';

export interface StoredAuthor extends Author {
  outside: boolean;
}

/**
 * Stores the further requesters of a round and the authors of its content. If a user has several reasons, the first of
 * them is stored first.
 */
export const insertAuthors = (
  tx: EntityManager,
  { tenantId, executionId }: RunRef,
  round: number,
  authors: readonly ((Author | FurtherRequester) & { outside?: boolean })[],
): Promise<unknown> =>
  affected(
    tx,
    sql`insert into approval_authors (tenant_id, execution_id, round, user_id, kind, name, revision, author_name, detail, outside)
      select ${tenantId}, ${executionId}, ${round}, x."userId", x.kind, x.name, x.revision, x."authorName", x.detail, coalesce(x.outside, false)
        from jsonb_to_recordset(${JSON.stringify(authors)}::jsonb) as x ("userId" uuid, kind text, name text, revision int,
          "authorName" text, detail text, outside boolean)`,
  );

/**
 * Returns those of the users who may not approve, by ID: requesters of the round, authors of its content, and users
 * with a right from a requester.
 */
export async function findAuthorsAmongUsers(
  tx: EntityManager,
  ref: RunRef,
  round: number,
  userIds: readonly string[],
): Promise<Map<string, InvolvedMember>> {
  if (userIds.length === 0) return new Map();
  const givenRights = await findRightsFromRequesters(tx, ref, round, userIds);
  const involved = await rows(
    tx,
    // "userId" is never null, because only the given users are selected.
    sql<(Author | FurtherRequester) & { userId: string }>`
      select distinct on (user_id) user_id::text as "userId", kind, name, revision, detail from approval_authors
      where execution_id = ${ref.executionId} and round = ${round} and user_id = any (${userIds}) order by user_id, position`,
  );
  return new Map<string, InvolvedMember>([...givenRights, ...involved].map((author) => [author.userId, author]));
}

export const listRoundAuthors = (tx: EntityManager, { executionId }: RunRef, round: number): Promise<StoredAuthor[]> =>
  rows(
    tx,
    sql<StoredAuthor>`
      select user_id as "userId", kind, name, revision, detail, author_name as "authorName", outside from approval_authors
      where execution_id = ${executionId} and round = ${round} and kind not in ('token', 'schedule', 'schedule_token')
        order by position`,
  );
