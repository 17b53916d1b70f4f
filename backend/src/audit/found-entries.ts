import type { EntityManager } from 'typeorm';
import { rows, sql, type Sql } from '../common/database/sql.js';
import { boundedWalkSql, directionSql, type IndexScan, type BoundedWalk } from '../common/http/paging/bounded-walk.js';
import type { ChainedEntry } from './audit-chain.js';
import type { AuditFilterQuery } from './audit-logs.dto.js';
import { type EntryRow, toChainedEntry } from './audit-trail.js';

/** Sort order, and sequence of the last returned entry; null: from the start. */
export interface AuditListOrder {
  ascending: boolean;
  after: number | null;
}

/** Matching entries. There may be fewer than the limit although more follow. */
export interface AuditEntryPage {
  entries: ChainedEntry[];
  /** Sequence at which to continue; null: no more entries. */
  next: number | null;
}

/** Tolerance of a time filter for backward jumps of the database clock, in ms. */
const MAX_CLOCK_SET_BACK_MS = 5 * 60_000;

export async function findEntries(
  tx: EntityManager,
  tenantId: string,
  filter: AuditFilterQuery,
  { ascending, after }: AuditListOrder,
  limit: number,
): Promise<AuditEntryPage> {
  const direction = ascending ? 'ASC' : 'DESC';
  const count = limit + 1;
  const range = await findSequenceRange(tx, tenantId, filter);
  const reached = [
    sql`e.tenant_id = ${tenantId} and e.sequence is not null`,
    ...sql.given(after, (sequence) => sql`e.sequence ${ascending ? sql`>` : sql`<`} ${sequence}::bigint`),
    ...sql.given(range.from, (sequence) => sql`e.sequence >= ${sequence}::bigint`),
    ...sql.given(range.to, (sequence) => sql`e.sequence < ${sequence}::bigint`),
  ];
  const indexed = [
    ...sql.given(filter.resourceId, (id) => sql`e.resource_id = ${id}::uuid`),
    ...sql.given(filter.actorId, (id) => sql`e.actor_id = ${id}::uuid`),
    ...sql.given(filter.action, (action) => sql`e.action = ${action}::text`),
    ...sql.given(filter.resourceType, (type) => sql`e.resource_type = ${type}::text`),
  ];
  const times = [
    ...sql.given(filter.from, (at) => sql`e.at >= ${at}::timestamptz`),
    ...sql.given(filter.to, (at) => sql`e.at < ${at}::timestamptz`),
  ];
  const indexScanOf = (own: readonly Sql[]): IndexScan => ({
    from: sql`audit_entries e`,
    reached: [...own, ...reached],
    key: sql`e.sequence`,
    rest: [...indexed.filter((condition) => !own.includes(condition)), ...times],
  });
  const indexScans = indexed.length > 0 ? indexed.map((condition) => indexScanOf([condition])) : [indexScanOf([])];
  const [indexScan] = indexScans;
  // With a filter, the query reads only the index. If it also read the rows, the planner might scan the whole chain.
  if (indexed.length === 0 && indexScan?.rest.length === 0) {
    const found = await rows(
      tx,
      sql<EntryRow>`select e.* from audit_entries e
        where ${sql.all(reached)} order by e.sequence ${directionSql(direction)} limit ${count}`,
    );
    const entries = found.slice(0, limit).map(toChainedEntry);
    return { entries, next: found.length > limit ? (entries.at(-1)?.sequence ?? null) : null };
  }
  const rowOf = (key: Sql): Sql => sql`audit_entries e where e.tenant_id = ${tenantId} and e.sequence = ${key}`;
  const walk = boundedEntryWalkSql(indexScans, { rowOf, direction, count });
  const walked = await rows(
    tx,
    sql<(EntryRow | { id: null }) & { reach: string | null }>`select e.*, walk.reach from ${walk} walk
      left join lateral (select e.* from ${rowOf(sql`walk.key`)} limit 1) e on true
      order by walk.key ${directionSql(direction)}`,
  );
  const found = walked.filter((row): row is EntryRow & { reach: string | null } => row.id !== null).map(toChainedEntry);
  const entries = found.slice(0, limit);
  const reach = walked[0]?.reach ?? null;
  const next = found.length > limit ? entries.at(-1)?.sequence : reach === null ? null : Number(reach);
  return { entries, next: next ?? null };
}

/**
 * Bounded walk along the sequence.
 * @sql (select null::bigint as key, null::bigint as reach)
 */
function boundedEntryWalkSql(indexScans: readonly IndexScan[], walk: BoundedWalk): Sql {
  return boundedWalkSql(indexScans, walk);
}

/**
 * Returns the range of sequences for a time range, with a tolerance. Times rise with the sequence, so a binary search
 * finds each end.
 */
async function findSequenceRange(
  tx: EntityManager,
  tenantId: string,
  { from, to }: AuditFilterQuery,
): Promise<{ from?: string; to?: string }> {
  if (from === undefined && to === undefined) return {};
  const moments = [
    ...(from === undefined ? [] : [{ side: 'from', at: Date.parse(from) - MAX_CLOCK_SET_BACK_MS }]),
    ...(to === undefined ? [] : [{ side: 'to', at: Date.parse(to) + MAX_CLOCK_SET_BACK_MS }]),
  ];
  const halves = await rows(
    tx,
    sql<{ side: 'from' | 'to'; high: string }>`with recursive halves (side, at, low, high) as (
        select m.side, timestamptz 'epoch' + m.at * interval '1 millisecond', 0::bigint, 1 + coalesce(
            (select sequence from audit_entries where tenant_id = ${tenantId} and sequence is not null order by sequence desc limit 1), 0)
          from unnest(${moments.map(({ side }) => side)}::text[], ${moments.map(({ at }) => at)}::float8[]) m (side, at)
        union all
        select h.side, h.at, case when p.at >= h.at then h.low else h.middle end, case when p.at >= h.at then p.sequence else h.high end
          from (select *, (low + high) / 2 as middle from halves where high - low > 1) h
          left join lateral (select sequence, at from audit_entries
            where tenant_id = ${tenantId} and sequence > h.low and sequence <= h.middle order by sequence desc limit 1) p on true)
      select side, high from halves where high - low <= 1`,
  );
  return Object.fromEntries(halves.map(({ side, high }) => [side, high]));
}
