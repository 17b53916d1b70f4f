import type { EntityManager } from 'typeorm';
import type { RunRef } from '../record/run-head.js';
import type { InvolvedMember } from './approval-policy.js';
import type { Author } from './authors/author-kinds.js';
import type { FurtherRequester } from './requesters.js';
import { rightsFromRequesters } from './rights-from-requesters.js';

export interface StoredAuthor extends Author {
  outside: boolean;
}

/**
 * Stores the further requesters of a round and the authors of its content. If a user has several reasons, the first of
 * them is stored first.
 */
export const insertAuthors = (
  tx: EntityManager,
  ref: RunRef,
  round: number,
  authors: readonly ((Author | FurtherRequester) & { outside?: boolean })[],
): Promise<unknown> =>
  tx.query(
    `insert into approval_authors (tenant_id, execution_id, round, user_id, kind, name, revision, author_name, detail, outside)
      select $1, $2, $3, x."userId", x.kind, x.name, x.revision, x."authorName", x.detail, coalesce(x.outside, false)
        from jsonb_to_recordset($4::jsonb) as x ("userId" uuid, kind text, name text, revision int, "authorName" text, detail text,
          outside boolean)`,
    [ref.tenantId, ref.executionId, round, JSON.stringify(authors)],
  );

/**
 * Returns those of the users who may not approve, by ID: requesters of the round, authors of its content, and users
 * with a right from a requester.
 */
export async function authorsAmong(
  tx: EntityManager,
  ref: RunRef,
  round: number,
  userIds: readonly string[],
): Promise<Map<string, InvolvedMember>> {
  if (userIds.length === 0) return new Map();
  const givenRights = await rightsFromRequesters(tx, ref, round, userIds);
  const rows = await tx.query<((Author | FurtherRequester) & { userId: string })[]>(
    `select distinct on (user_id) user_id as "userId", kind, name, revision, detail from approval_authors
      where execution_id = $1 and round = $2 and user_id = any ($3) order by user_id, position`,
    [ref.executionId, round, userIds],
  );
  return new Map<string, InvolvedMember>([...givenRights, ...rows].map((author) => [author.userId, author]));
}

export const authorsOfRound = (tx: EntityManager, ref: RunRef, round: number): Promise<StoredAuthor[]> =>
  tx.query<StoredAuthor[]>(
    `select user_id as "userId", kind, name, revision, detail, author_name as "authorName", outside from approval_authors
      where execution_id = $1 and round = $2 and kind not in ('token', 'schedule', 'schedule_token') order by position`,
    [ref.executionId, round],
  );
