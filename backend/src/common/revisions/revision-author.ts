import type { EntityManager } from 'typeorm';
import { rows, sql } from '../database/sql.js';

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

/** Tables of revisions, with the column of the record that the revisions belong to. */
const REVISIONS = {
  plan: { table: sql`plan_revisions`, recordId: sql`plan_id` },
  script: { table: sql`script_revisions`, recordId: sql`record_id` },
  template: { table: sql`template_revisions`, recordId: sql`record_id` },
};

export type RevisedKind = keyof typeof REVISIONS;

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
  kind: RevisedKind,
  used: readonly UsedRecord[],
  since: Date,
): Promise<LaterRevision[]> {
  if (used.length === 0) return [];
  const ids = used.map(({ id }) => id);
  const numbers = used.map(({ revision }) => revision);
  return rows(
    tx,
    sql<LaterRevision>`select r.${REVISIONS[kind].recordId} as id, r.number as revision, r.created_by as "userId"
      from ${REVISIONS[kind].table} r
        join unnest(${ids}::uuid[], ${numbers}::int[]) as used (id, number)
          on used.id = r.${REVISIONS[kind].recordId} and used.number = r.number
      where r.tenant_id = ${tenantId} and r.created_at > ${since}`,
  );
}

/** Returns the authors of these revisions who are members; null = some revisions were deleted with their record. */
export async function revisionAuthors(
  tx: EntityManager,
  tenantId: string,
  kind: RevisedKind,
  { id, after, upTo }: RevisionRange,
): Promise<RevisionAuthor[] | null> {
  const authors = await rows(
    tx,
    sql<{ userId: string | null; revision: number; saved: number }>`
      select created_by as "userId", max(number) as revision, count(*)::int as saved from ${REVISIONS[kind].table}
        where tenant_id = ${tenantId} and ${REVISIONS[kind].recordId} = ${id} and number > ${after}
          and number <= ${upTo}
        group by created_by`,
  );
  const saved = authors.reduce((sum, author) => sum + author.saved, 0);
  return saved < upTo - after
    ? null
    : authors.flatMap(({ userId, revision }) => (userId === null ? [] : [{ userId, revision }]));
}
