import type { EntityManager } from 'typeorm';
import { row, sql, type Sql } from '../../common/database/sql.js';
import { CHANNELS } from '../../common/database/notifications.js';
import type { RunEventType } from '../../outbox/event-types.js';
import { insertSubscribedEvents, NOTIFY_STORED_EVENTS } from '../../outbox/outbox.sql.js';
import type { OutputChunk } from './output-piece.js';

interface RunReference {
  executionId: string;
}

interface RunEventContext extends RunReference {
  tenantId: string;
}

export interface NewRunEvent {
  type: RunEventType;
  data: object;
}

interface ReservedNumbers {
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

export interface NumberReservation {
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
  ref: RunReference,
  counts: NumberReservation,
  fence?: FlushFence,
): Promise<{ events: number; chunks: number } | null> {
  const numbers = await row(
    tx,
    fence?.sliceId ? reserveForSliceSql(ref, counts, fence, fence.sliceId) : reserveForRunSql(ref, counts, fence),
  );
  if (!numbers) return null;
  return { events: Number(numbers.event_seq) - counts.events, chunks: Number(numbers.chunk_seq) - counts.chunks };
}

/** SQL assignments that reserve the numbers. */
const reserveColumnsSql = ({ events, chunks, outputOnly }: NumberReservation): Sql =>
  sql`event_seq = event_seq + ${events}, chunk_seq = chunk_seq + ${chunks}, version = version + ${outputOnly ? 0 : 1}::int`;

const reserveForRunSql = (
  { executionId }: RunReference,
  counts: NumberReservation,
  fence: FlushFence | undefined,
): Sql<ReservedNumbers> => {
  const { owner, epoch, flush } = fence ?? { owner: null, epoch: null, flush: null };
  return sql.prepared<ReservedNumbers>`
    update executions set ${reserveColumnsSql(counts)}, flush_seq = coalesce(${flush}, flush_seq)
      where id = ${executionId}
        and (${owner}::text is null or (owner = ${owner} and epoch = ${epoch} and flush_seq < ${flush}))
      returning event_seq, chunk_seq`;
};

/** Locks the run's row first: the slice changes only if the run still accepts data. */
const reserveForSliceSql = (
  { executionId }: RunReference,
  counts: NumberReservation,
  { owner, epoch, flush }: FlushFence,
  sliceId: string,
): Sql<ReservedNumbers> => sql.prepared<ReservedNumbers>`
  with run as (
      select 1 from executions where id = ${executionId} and finished_at is null
        and (not ${counts.intents ?? false}::boolean or status in ('RUNNING', 'CANCELLING')) for update),
    slice as (
      update execution_slices set flush_seq = ${flush}
        where id = ${sliceId} and owner = ${owner} and epoch = ${epoch} and flush_seq < ${flush} and finished_at is null
          and exists (select 1 from run) returning 1)
    update executions set ${reserveColumnsSql(counts)}
      where id = ${executionId} and exists (select 1 from slice) returning event_seq, chunk_seq`;

export async function insertEvents(
  tx: EntityManager,
  ref: RunEventContext,
  before: number,
  events: readonly NewRunEvent[],
): Promise<void> {
  if (events.length === 0) {
    await row(tx, sql`select pg_notify(${CHANNELS.executionChanged}, ${ref.executionId})`);
    return;
  }
  const outputOnly = events.every(({ type }) => type === 'output.appended');
  await row(tx, outputOnly ? insertOutputEventsSql(ref, before, events) : insertWithOutboxSql(ref, before, events));
}

/** SQL relation `x (type, data, n)` of the events. Their lists are sent once per statement. */
const toEventRelationSql = (events: readonly NewRunEvent[]): Sql => {
  const types = sql.value(events.map(({ type }) => type));
  const data = sql.value(events.map((event) => JSON.stringify(event.data)));
  return sql`unnest(${types}::text[], ${data}::text[]) with ordinality as x (type, data, n)`;
};

const insertStoredEventsSql = ({ tenantId, executionId }: RunEventContext, before: number, given: Sql): Sql =>
  sql`stored as (
    insert into execution_events (tenant_id, execution_id, seq, type, data)
      select ${tenantId}::uuid, ${executionId}::uuid, ${before}::bigint + n, type, data::jsonb from ${given})`;

const notifyChannelSql = (channel: string, { executionId }: RunEventContext): Sql =>
  sql`pg_notify(${channel}::text, ${executionId}::uuid::text)`;

/** Sends output only to clients that follow the run, not to the outbox. */
const insertOutputEventsSql = (run: RunEventContext, before: number, events: readonly NewRunEvent[]): Sql =>
  sql.prepared`with ${insertStoredEventsSql(run, before, toEventRelationSql(events))} select ${notifyChannelSql(CHANNELS.executionChanged, run)}`;

const insertWithOutboxSql = (run: RunEventContext, before: number, events: readonly NewRunEvent[]): Sql => {
  const given = toEventRelationSql(events);
  const heard = sql`(select x.n, x.type, x.data::jsonb as data, ${selectEventColumnsSql(sql`e`)}
    from ${given} join executions e on e.id = ${run.executionId}::uuid)`;
  return sql.prepared`with ${insertStoredEventsSql(run, before, given)},
    heard as (${insertSubscribedEvents(sql`${run.tenantId}::uuid`, heard)})
    select ${notifyChannelSql(CHANNELS.executionChanged, run)}, ${NOTIFY_STORED_EVENTS},
      case when ${events.some(({ type }) => type === 'execution.status_changed')}
        then ${notifyChannelSql(CHANNELS.executionStatus, run)} end`;
};

export async function appendEvents(
  tx: EntityManager,
  ref: RunEventContext,
  events: readonly NewRunEvent[],
): Promise<void> {
  const numbers = await reserveNumbers(tx, ref, { events: events.length, chunks: 0 });
  if (numbers) await insertEvents(tx, ref, numbers.events, events);
}

/** Stored content of an `output.appended` event: first and last chunk number, and the approximate size when sent. */
export interface OutputPointer {
  from: number;
  to: number;
  size: number;
}

/** Approximate maximum size of an event, in characters. An event with a single chunk may be larger. */
const MAX_EVENT_CHARACTERS = 256 * 1024;
/** Estimated characters per line in addition to its text: host, step, stream, number, time. */
const LINE_SIZE = 200;

/** Groups chunks that are stored together into events of limited size. Numbers the chunks from 1. */
export function createOutputPointers(chunks: readonly Pick<OutputChunk, 'data' | 'lineCount'>[]): OutputPointer[] {
  const pointers: OutputPointer[] = [];
  for (const [index, { data, lineCount }] of chunks.entries()) {
    const size = data.length + LINE_SIZE * Math.max(1, lineCount);
    const last = pointers.at(-1);
    if (last && last.size + size <= MAX_EVENT_CHARACTERS)
      Object.assign(last, { to: index + 1, size: last.size + size });
    else pointers.push({ from: index + 1, to: index + 1, size });
  }
  return pointers;
}

/** Columns of an external event, for `insertSubscribedEvents`. @param run alias of a row of `executions` */
export const selectEventColumnsSql = (run: Sql): Sql =>
  sql`${run}.environment_id, ${run}.plan_id, ${run}.id as execution_id,
    jsonb_build_object('id', ${run}.id, 'planId', ${run}.plan_id, 'planName', ${run}.plan_name,
      'planRevision', ${run}.plan_revision, 'environmentId', ${run}.environment_id,
      'environmentName', ${run}.environment_name, 'status', ${run}.status, 'execution_mode', ${run}.execution_mode,
      'startedBy', jsonb_build_object('id', ${run}.started_by, 'name', ${run}.started_by_name), 'labels', ${run}.labels) as run`;
