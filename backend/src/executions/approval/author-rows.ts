import type { EntityManager } from 'typeorm';
import type { RunRef } from '../record/run-head.js';
import type { Author } from './used-revisions.js';

/** Stores who may not approve this round because they wrote a part of it. */
export const insertAuthors = (
  tx: EntityManager,
  ref: RunRef,
  round: number,
  authors: readonly Author[],
): Promise<unknown> =>
  tx.query(
    `insert into approval_authors (tenant_id, execution_id, round, user_id, kind, name, revision)
      select $1, $2, $3, x.* from unnest($4::uuid[], $5::text[], $6::text[], $7::int[]) as x`,
    [
      ref.tenantId,
      ref.executionId,
      round,
      authors.map(({ userId }) => userId),
      authors.map(({ kind }) => kind),
      authors.map(({ name }) => name),
      authors.map(({ revision }) => revision),
    ],
  );

/** Those of the users who wrote a part of what this round is for, by id. */
export async function authorsAmong(
  tx: EntityManager,
  ref: RunRef,
  round: number,
  userIds: readonly string[],
): Promise<Map<string, Author>> {
  if (userIds.length === 0) return new Map();
  const rows = await tx.query<Author[]>(
    `select user_id as "userId", kind, name, revision from approval_authors
      where execution_id = $1 and round = $2 and user_id = any ($3)`,
    [ref.executionId, round, userIds],
  );
  return new Map(rows.map((author) => [author.userId, author]));
}
