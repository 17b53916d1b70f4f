import type { EntityManager } from 'typeorm';

/** A stretch of the revisions of one record: those after `after`, up to `upTo`. */
export interface RevisionRange {
  id: string;
  after: number;
  upTo: number;
}

/** Who saved revisions of a record. */
export interface RevisionAuthor {
  userId: string;
  /** Number of the last one of theirs. */
  revision: number;
}

/** Where the revisions of one kind of record stand. */
export interface RevisionTable {
  table: 'plan_revisions' | 'script_revisions' | 'template_revisions';
  /** The column with the record's id. */
  record: 'plan_id' | 'record_id';
}

/** One revision that is used. */
export interface UsedOnce {
  id: string;
  revision: number;
}

/** One revision that was saved after a moment. */
export interface LaterRevision extends UsedOnce {
  /** Null: a sync of a git source saved it. */
  userId: string | null;
}

/** Those of the revisions that were saved after a moment, and by whom. */
export async function savedSince(
  tx: EntityManager,
  tenantId: string,
  { table, record }: RevisionTable,
  used: readonly UsedOnce[],
  since: Date,
): Promise<LaterRevision[]> {
  if (used.length === 0) return [];
  return tx.query<LaterRevision[]>(
    `select r.${record} as id, r.number as revision, r.created_by as "userId" from ${table} r
        join unnest($2::uuid[], $3::int[]) as used (id, number) on used.id = r.${record} and used.number = r.number
      where r.tenant_id = $1 and r.created_at > $4`,
    [tenantId, used.map(({ id }) => id), used.map(({ revision }) => revision), since],
  );
}

/** Who saved these revisions, as far as they are members; null: some of them are there no more, because their record was deleted. */
export async function revisionAuthors(
  tx: EntityManager,
  tenantId: string,
  { table, record }: RevisionTable,
  { id, after, upTo }: RevisionRange,
): Promise<RevisionAuthor[] | null> {
  const rows = await tx.query<{ userId: string | null; revision: number; saved: number }[]>(
    `select created_by as "userId", max(number) as revision, count(*)::int as saved from ${table}
      where tenant_id = $1 and ${record} = $2 and number > $3 and number <= $4 group by created_by`,
    [tenantId, id, after, upTo],
  );
  const saved = rows.reduce((sum, row) => sum + row.saved, 0);
  return saved < upTo - after
    ? null
    : rows.flatMap(({ userId, revision }) => (userId === null ? [] : [{ userId, revision }]));
}
