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
