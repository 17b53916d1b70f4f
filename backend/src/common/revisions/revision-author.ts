import type { EntityManager } from 'typeorm';

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

export interface RevisionTable {
  table: 'plan_revisions' | 'script_revisions' | 'template_revisions';
  record: 'plan_id' | 'record_id';
}

export interface UsedRecord {
  id: string;
  revision: number;
}

export interface LaterRevision extends UsedRecord {
  /** Null = saved by a sync of a git source. */
  userId: string | null;
}

export async function findRevisionsSince(
  tx: EntityManager,
  tenantId: string,
  { table, record }: RevisionTable,
  used: readonly UsedRecord[],
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

/** Returns the authors of these revisions who are members; null = some revisions were deleted with their record. */
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
