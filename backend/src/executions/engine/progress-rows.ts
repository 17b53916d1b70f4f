import type { EntityManager } from 'typeorm';
import { insertEvents, type NewRunEvent, reserveNumbers } from '../output/run-events.js';
import { outputPointers } from '../output/output-pointer.js';
import { type Fence, OwnershipLost, type RunRef } from '../run-store.js';
import { type HostChange, type HostChunks, statusAfter } from './step-progress.js';

/** What one flush stores of a step, in one transaction. */
export interface ProgressBatch {
  stepIndex: number;
  stepKey: string;
  changes: readonly HostChange[];
  output: readonly HostChunks[];
  counts: object;
  /** Number of the flush, ascending per run. */
  flush: number;
}

/**
 * Stores a batch with as few statements as it allows: never a row, a statement or a notification per line.
 * @throws OwnershipLost when the run has another owner; nothing was stored then
 */
export async function storeProgress(tx: EntityManager, ref: RunRef, fence: Fence, batch: ProgressBatch): Promise<void> {
  const events = batch.changes.flatMap((change) => eventOf(change, batch.stepKey));
  const chunks = batch.output.flatMap(({ serverId, chunks }) => chunks.map((chunk) => ({ serverId, ...chunk })));
  const pointers = outputPointers(chunks);
  const numbers = await reserveNumbers(
    tx,
    ref,
    { events: events.length + pointers.length, chunks: chunks.length },
    { ...fence, flush: batch.flush },
  );
  if (!numbers) return demandStored(tx, ref, fence, batch.flush);
  if (chunks.length > 0) {
    await tx.query(
      `insert into output_chunks (tenant_id, execution_id, seq, step_index, server_id, stream, first_line, line_count, continues, open_ended, at, data)
        select $1, $2, $3 + n, $4, server_id, stream, first_line, line_count, continues, open_ended, at, data
        from unnest($5::uuid[], $6::smallint[], $7::int[], $8::int[], $9::boolean[], $10::boolean[], $11::timestamptz[], $12::bytea[])
          with ordinality as x (server_id, stream, first_line, line_count, continues, open_ended, at, data, n)`,
      [
        ref.tenantId,
        ref.executionId,
        numbers.chunks,
        batch.stepIndex,
        chunks.map((chunk) => chunk.serverId),
        chunks.map((chunk) => (chunk.stream === 'stdout' ? 1 : 2)),
        chunks.map((chunk) => chunk.firstLine),
        chunks.map((chunk) => chunk.lineCount),
        chunks.map((chunk) => chunk.continues),
        chunks.map((chunk) => chunk.openEnded),
        chunks.map((chunk) => new Date(chunk.at).toISOString()),
        chunks.map((chunk) => chunk.data),
      ],
    );
  }
  if (batch.changes.length > 0) await storeChanges(tx, ref, fence, batch);
  // Output goes before the events of hosts that finished with it, so that a follower has it all by then.
  const output = pointers.map(({ from, to, size }): NewRunEvent => {
    return { type: 'output.appended', data: { from: numbers.chunks + from, to: numbers.chunks + to, size } };
  });
  const starts = events.filter((event) => event.type === 'host.started');
  const ends = events.filter((event) => event.type !== 'host.started');
  await insertEvents(tx, ref, numbers.events, [...starts, ...output, ...ends]);
}

/** The flush was stored before, only its answer got lost; or the run has another owner. */
async function demandStored(tx: EntityManager, ref: RunRef, fence: Fence, flush: number): Promise<void> {
  const rows = await tx.query<unknown[]>(
    'select 1 from executions where id = $1 and owner = $2 and epoch = $3 and flush_seq = $4',
    [ref.executionId, fence.owner, fence.epoch, flush],
  );
  if (rows.length === 0) throw new OwnershipLost();
}

async function storeChanges(tx: EntityManager, ref: RunRef, fence: Fence, batch: ProgressBatch): Promise<void> {
  const rows = mergeByHost(batch.changes, fence.epoch);
  await tx.query(
    `update host_results r set
        status = coalesce(x.status, r.status),
        dispatch_id = coalesce(x.dispatch_id, r.dispatch_id),
        epoch = coalesce(x.epoch, r.epoch),
        attempts = r.attempts + case when x.dispatch_id is null then 0 else 1 end,
        started_at = case when x.begins then coalesce(r.started_at, clock_timestamp()) else r.started_at end,
        finished_at = case when x.ends then clock_timestamp() else r.finished_at end,
        exit_code = x.exit_code, signal = x.signal, code = x.code, message = x.message,
        output_lines = x.lines, output_bytes = x.bytes, dropped_lines = x.dropped_lines, dropped_bytes = x.dropped_bytes
      from jsonb_to_recordset($3::jsonb) as x (server_id uuid, status text, dispatch_id uuid, epoch int, begins boolean, ends boolean,
        exit_code int, signal text, code text, message text, lines bigint, bytes bigint, dropped_lines bigint, dropped_bytes bigint)
      where r.execution_id = $1 and r.step_index = $2 and r.server_id = x.server_id`,
    [ref.executionId, batch.stepIndex, JSON.stringify(rows)],
  );
  const begun = batch.changes.filter((change) => change.kind === 'connecting').map((change) => change.serverId);
  if (begun.length > 0) {
    await tx.query('update execution_hosts set last_step_key = $3 where execution_id = $1 and server_id = any ($2)', [
      ref.executionId,
      begun,
      batch.stepKey,
    ]);
  }
  await tx.query('update execution_steps set counts = $3 where execution_id = $1 and step_index = $2', [
    ref.executionId,
    batch.stepIndex,
    batch.counts,
  ]);
}

/** One row per host, whatever number of its changes a flush holds. */
function mergeByHost(changes: readonly HostChange[], epoch: number): object[] {
  const rows = new Map<string, Record<string, unknown>>();
  for (const change of changes) {
    const row = rows.get(change.serverId) ?? {
      server_id: change.serverId,
      begins: false,
      ends: false,
      lines: 0,
      bytes: 0,
      dropped_lines: 0,
      dropped_bytes: 0,
    };
    rows.set(change.serverId, row);
    row.status = statusAfter(change) ?? row.status;
    if (change.kind === 'connecting') row.begins = true;
    if (change.kind === 'dispatch') Object.assign(row, { dispatch_id: change.dispatchId, epoch });
    if (change.kind === 'finished') {
      const { exitCode, signal, code, message } = change.outcome;
      Object.assign(row, { ends: true, exit_code: exitCode, signal, code, message });
      if (change.totals) {
        const { lines, bytes, droppedLines, droppedBytes } = change.totals;
        Object.assign(row, { lines, bytes, dropped_lines: droppedLines, dropped_bytes: droppedBytes });
      }
    }
  }
  return [...rows.values()];
}

function eventOf(change: HostChange, stepKey: string): NewRunEvent[] {
  const { serverId } = change;
  if (change.kind === 'started') return [{ type: 'host.started', data: { stepKey, serverId, status: 'RUNNING' } }];
  if (change.kind !== 'finished') return [];
  const { status, exitCode, signal, code, message } = change.outcome;
  return [{ type: 'host.finished', data: { stepKey, serverId, status, exitCode, signal, code, message } }];
}
