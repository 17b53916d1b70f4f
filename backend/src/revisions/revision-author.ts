import type { EntityManager } from 'typeorm';
import { rows, sql, type Sql } from '../common/database/sql.js';

/** Revisions of one record after `after`, up to and including `upTo`. */
export interface RevisionRange {
  id: string;
  after: number;
  upTo: number;
}

export interface RevisionAuthor {
  userId: string;
  revision: number;
}

/** Table of revisions, from the module that owns it. */
export interface RevisionTable {
  /** @sql plan_revisions */
  readonly table: Sql;
  /**
   * Column of the record that the revisions belong to.
   * @sql plan_id
   */
  readonly recordId: Sql;
}

export interface UsedRevisionRef {
  id: string;
  revision: number;
}

export interface LaterRevision extends UsedRevisionRef {
  /** Null = saved by a sync of a git source. */
  userId: string | null;
}

export async function findRevisionsSince(
  tx: EntityManager,
  tenantId: string,
  { table, recordId }: RevisionTable,
  used: readonly UsedRevisionRef[],
  since: Date,
): Promise<LaterRevision[]> {
  if (used.length === 0) return [];
  const ids = used.map(({ id }) => id);
  const numbers = used.map(({ revision }) => revision);
  return rows(
    tx,
    sql<LaterRevision>`select r.${recordId} as id, r.number as revision, r.created_by as "userId"
      from ${table} r
        join unnest(${ids}::uuid[], ${numbers}::int[]) as used (id, number)
          on used.id = r.${recordId} and used.number = r.number
      where r.tenant_id = ${tenantId} and r.created_at > ${since}`,
  );
}

/** Returns the authors of these revisions who are members; null = some revisions were deleted with their record. */
export async function revisionAuthors(
  tx: EntityManager,
  tenantId: string,
  { table, recordId }: RevisionTable,
  { id, after, upTo }: RevisionRange,
): Promise<RevisionAuthor[] | null> {
  const authors = await rows(
    tx,
    sql<{ userId: string | null; revision: number; saved: number }>`
      select created_by as "userId", max(number) as revision, count(*)::int as saved from ${table}
        where tenant_id = ${tenantId} and ${recordId} = ${id} and number > ${after}
          and number <= ${upTo}
        group by created_by`,
  );
  const saved = authors.reduce((sum, author) => sum + author.saved, 0);
  return saved < upTo - after
    ? null
    : authors.flatMap(({ userId, revision }) => (userId === null ? [] : [{ userId, revision }]));
}
