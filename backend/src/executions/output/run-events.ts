import type { EntityManager } from 'typeorm';
import { sql } from '../../common/database/sql.js';
import { prepared } from '../../common/database/prepared.js';
import { CHANNELS } from '../../common/notify/notifications.js';
import { insertSubscribedEvents, NOTIFY_STORED_EVENTS } from '../../outbox/outbox.sql.js';
import { externalEventColumns } from './external-events.js';

export const RUN_EVENT_TYPES = [
  'execution.status_changed',
  'step.started',
  'step.finished',
  'host.started',
  'host.finished',
  'output.appended',
  'approval.requested',
  'approval.decided',
  'decision.requested',
  'decision.made',
  'host.resolved',
  'host.retrying',
  'host.reconnecting',
  'execution.finished',
] as const;
export type RunEventType = (typeof RUN_EVENT_TYPES)[number];

export interface NewRunEvent {
  type: RunEventType;
  data: object;
}

interface Numbers {
  event_seq: string;
  chunk_seq: string;
}

/** Expected owner of the run or slice, and the flush number. The flush number must be higher than the stored one. */
export interface FlushFence {
  owner: string;
  epoch: number;
  sliceId?: string;
  flush: number;
}

export interface Reservation {
  events: number;
  chunks: number;
  /** Set for output: the run's version does not change, and waiting clients are not notified. */
  outputOnly?: boolean;
  /** Set when a command is about to be started. Refused to a slice if its run now waits for a person. */
  intents?: boolean;
}

/**
 * Reserves ascending numbers for events and chunks. Locks the run's row, so that the numbers follow the order of
 * commits. Increments the run's version unless only output is stored.
 * @returns the last numbers before the reserved ones; null = the fence is no longer valid
 */
export async function reserveNumbers(
  tx: EntityManager,
  ref: { executionId: string },
  counts: Reservation,
  fence?: FlushFence,
): Promise<{ events: number; chunks: number } | null> {
  const steps = counts.outputOnly ? 0 : 1;
  const [rows] = await (fence?.sliceId
    ? tx.query<[Numbers[], number]>(RESERVE_FOR_SLICE, [
        ref.executionId,
        counts.events,
        counts.chunks,
        fence.owner,
        fence.epoch,
        fence.flush,
        fence.sliceId,
        steps,
        counts.intents ?? false,
      ])
    : tx.query<[Numbers[], number]>(RESERVE_SQL, [
        ref.executionId,
        counts.events,
        counts.chunks,
        fence?.owner ?? null,
        fence?.epoch ?? null,
        fence?.flush ?? null,
        steps,
      ]));
  const [numbers] = rows;
  if (!numbers) return null;
  return { events: Number(numbers.event_seq) - counts.events, chunks: Number(numbers.chunk_seq) - counts.chunks };
}

const RESERVE_SQL =
  prepared(`update executions set event_seq = event_seq + $2, chunk_seq = chunk_seq + $3, version = version + $7::int,
    flush_seq = coalesce($6, flush_seq)
  where id = $1 and ($4::text is null or (owner = $4 and epoch = $5 and flush_seq < $6))
  returning event_seq, chunk_seq`);

/** Locks the run's row first: the slice changes only if the run still accepts data. */
const RESERVE_FOR_SLICE = prepared(`with run as (
    select 1 from executions
      where id = $1 and finished_at is null and (not $9::boolean or status in ('RUNNING', 'CANCELLING')) for update),
  slice as (
    update execution_slices set flush_seq = $6
      where id = $7 and owner = $4 and epoch = $5 and flush_seq < $6 and finished_at is null
        and exists (select 1 from run) returning 1)
  update executions set event_seq = event_seq + $2, chunk_seq = chunk_seq + $3, version = version + $8::int
    where id = $1 and exists (select 1 from slice) returning event_seq, chunk_seq`);

export async function insertEvents(
  tx: EntityManager,
  ref: { tenantId: string; executionId: string },
  before: number,
  events: readonly NewRunEvent[],
): Promise<void> {
  if (events.length === 0) {
    await tx.query('select pg_notify($1, $2)', [CHANNELS.executionChanged, ref.executionId]);
    return;
  }
  const outputOnly = events.every(({ type }) => type === 'output.appended');
  await tx.query(outputOnly ? INSERT_OUTPUT_SQL : INSERT, [
    ref.tenantId,
    ref.executionId,
    before,
    events.map((event) => event.type),
    events.map((event) => JSON.stringify(event.data)),
  ]);
}

const STORED_CHUNKS_SQL = `stored as (
    insert into execution_events (tenant_id, execution_id, seq, type, data)
      select $1::uuid, $2::uuid, $3::bigint + n, type, data::jsonb
        from unnest($4::text[], $5::text[]) with ordinality as x (type, data, n))`;
const NOTIFY_SQL = `pg_notify('${CHANNELS.executionChanged}', $2::uuid::text)`;

/** Sends output only to clients that follow the run, not to the outbox. */
const INSERT_OUTPUT_SQL = prepared(`with ${STORED_CHUNKS_SQL} select ${NOTIFY_SQL}`);

const INSERT = prepared(`with ${STORED_CHUNKS_SQL},
  heard as (
    ${insertSubscribedEvents(
      sql.raw('$1::uuid'),
      sql.raw(`(select x.n, x.type, x.data::jsonb as data, ${externalEventColumns('e')}
          from unnest($4::text[], $5::text[]) with ordinality as x (type, data, n) join executions e on e.id = $2::uuid)`),
    )})
  select ${NOTIFY_SQL}, ${NOTIFY_STORED_EVENTS},
    case when 'execution.status_changed' = any ($4::text[]) then pg_notify('${CHANNELS.executionStatus}', $2::uuid::text) end`);

export async function appendEvents(
  tx: EntityManager,
  ref: { tenantId: string; executionId: string },
  events: readonly NewRunEvent[],
): Promise<void> {
  const numbers = await reserveNumbers(tx, ref, { events: events.length, chunks: 0 });
  if (numbers) await insertEvents(tx, ref, numbers.events, events);
}
