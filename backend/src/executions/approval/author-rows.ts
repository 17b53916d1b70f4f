import type { EntityManager } from 'typeorm';
import type { RunRef } from '../record/run-head.js';
import type { Involved } from './approval-policy.js';

/** Stores who may not approve this round because they asked for it beside the starter, or wrote a part of it: one reason each. */
export const insertAuthors = (
  tx: EntityManager,
  ref: RunRef,
  round: number,
  authors: readonly Involved[],
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
      authors.map((author) => ('revision' in author ? author.revision : null)),
    ],
  );

/** Those of the users who asked for this round beside the starter, or wrote a part of what it is for, by id. */
export async function authorsAmong(
  tx: EntityManager,
  ref: RunRef,
  round: number,
  userIds: readonly string[],
): Promise<Map<string, Involved>> {
  if (userIds.length === 0) return new Map();
  const rows = await tx.query<Involved[]>(
    `select user_id as "userId", kind, name, revision from approval_authors
      where execution_id = $1 and round = $2 and user_id = any ($3)`,
    [ref.executionId, round, userIds],
  );
  return new Map(rows.map((author) => [author.userId, author]));
}
