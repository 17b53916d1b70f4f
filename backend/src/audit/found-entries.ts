import type { EntityManager } from 'typeorm';
import { allOf, conditionIf, StatementValues } from '../common/database/statement-values.js';
import { boundedWalk, type IndexScan } from '../common/http/paging/bounded-walk.js';
import type { ChainedEntry } from './audit-chain.js';
import type { AuditFilterQuery } from './audit-logs.dto.js';
import { type EntryRow, toEntry } from './audit-rows.js';

/** Sort order, and sequence of the last returned entry; null: from the start. */
export interface AuditOrder {
  ascending: boolean;
  after: number | null;
}

/** Matching entries. There may be fewer than the limit although more follow. */
export interface FoundEntries {
  entries: ChainedEntry[];
  /** Sequence at which to continue; null: no more entries. */
  next: number | null;
}

/** Tolerance of a time filter for backward jumps of the database clock, in ms. */
const CLOCK_SET_BACK_MS = 5 * 60_000;

export async function findEntries(
  tx: EntityManager,
  tenantId: string,
  filter: AuditFilterQuery,
  { ascending, after }: AuditOrder,
  limit: number,
): Promise<FoundEntries> {
  const direction = ascending ? 'ASC' : 'DESC';
  const count = limit + 1;
  const values = new StatementValues(tenantId);
  const range = await sequenceRangeOf(tx, tenantId, filter);
  const reached = [
    'e.tenant_id = $1 and e.sequence is not null',
    ...conditionIf(values, after, (sequence) => `e.sequence ${ascending ? '>' : '<'} ${sequence}::bigint`),
    ...conditionIf(values, range.from, (sequence) => `e.sequence >= ${sequence}::bigint`),
    ...conditionIf(values, range.to, (sequence) => `e.sequence < ${sequence}::bigint`),
  ];
  const indexed = [
    ...conditionIf(values, filter.resourceId, (id) => `e.resource_id = ${id}::uuid`),
    ...conditionIf(values, filter.actorId, (id) => `e.actor_id = ${id}::uuid`),
    ...conditionIf(values, filter.action, (action) => `e.action = ${action}::text`),
    ...conditionIf(values, filter.resourceType, (type) => `e.resource_type = ${type}::text`),
  ];
  const times = [
    ...conditionIf(values, filter.from, (at) => `e.at >= ${at}::timestamptz`),
    ...conditionIf(values, filter.to, (at) => `e.at < ${at}::timestamptz`),
  ];
  const indexScanOf = (own: readonly string[]): IndexScan => ({
    from: 'audit_entries e',
    reached: [...own, ...reached],
    key: 'e.sequence',
    rest: [...indexed.filter((condition) => !own.includes(condition)), ...times],
  });
  const indexScans = indexed.length > 0 ? indexed.map((condition) => indexScanOf([condition])) : [indexScanOf([])];
  const [indexScan] = indexScans;
  // With a filter, the query reads only the index. If it also read the rows, the planner might scan the whole chain.
  if (indexed.length === 0 && indexScan?.rest.length === 0) {
    const rows = await tx.query<EntryRow[]>(
      `select e.* from ${indexScan.from} where ${allOf(indexScan.reached)} order by ${indexScan.key} ${direction} limit ${values.of(count)}`,
      values.list,
    );
    const entries = rows.slice(0, limit).map(toEntry);
    return { entries, next: rows.length > limit ? (entries.at(-1)?.sequence ?? null) : null };
  }
  const walk = boundedWalk(indexScans, { rowOf, direction, count });
  const rows = await tx.query<((EntryRow | { id: null }) & { reach: string | null })[]>(
    `select e.*, walk.reach from ${walk} walk left join lateral (select e.* from ${rowOf('walk.key')} limit 1) e on true
      order by walk.key ${direction}`,
    values.list,
  );
  const found = rows.filter((row): row is EntryRow & { reach: string | null } => row.id !== null).map(toEntry);
  const entries = found.slice(0, limit);
  const reach = rows[0]?.reach ?? null;
  const next = found.length > limit ? entries.at(-1)?.sequence : reach === null ? null : Number(reach);
  return { entries, next: next ?? null };
}

const rowOf = (key: string): string => `audit_entries e where e.tenant_id = $1 and e.sequence = ${key}`;

/**
 * Returns the range of sequences for a time range, with a tolerance. Times rise with the sequence, so a binary search
 * finds each end.
 */
async function sequenceRangeOf(
  tx: EntityManager,
  tenantId: string,
  { from, to }: AuditFilterQuery,
): Promise<{ from?: string; to?: string }> {
  if (from === undefined && to === undefined) return {};
  const moments = [
    ...(from === undefined ? [] : [{ side: 'from', at: Date.parse(from) - CLOCK_SET_BACK_MS }]),
    ...(to === undefined ? [] : [{ side: 'to', at: Date.parse(to) + CLOCK_SET_BACK_MS }]),
  ];
  const rows = await tx.query<{ side: 'from' | 'to'; high: string }[]>(
    `with recursive halves (side, at, low, high) as (
        select m.side, timestamptz 'epoch' + m.at * interval '1 millisecond', 0::bigint, 1 + coalesce(
            (select sequence from audit_entries where tenant_id = $1 and sequence is not null order by sequence desc limit 1), 0)
          from unnest($2::text[], $3::float8[]) m (side, at)
        union all
        select h.side, h.at, case when p.at >= h.at then h.low else h.middle end, case when p.at >= h.at then p.sequence else h.high end
          from (select *, (low + high) / 2 as middle from halves where high - low > 1) h
          left join lateral (select sequence, at from audit_entries
            where tenant_id = $1 and sequence > h.low and sequence <= h.middle order by sequence desc limit 1) p on true)
      select side, high from halves where high - low <= 1`,
    [tenantId, moments.map(({ side }) => side), moments.map(({ at }) => at)],
  );
  return Object.fromEntries(rows.map(({ side, high }) => [side, high]));
}
