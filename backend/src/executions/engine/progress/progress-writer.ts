import type { UnitOfWork } from '../../../common/database/unit-of-work.js';
import type { HostStatus } from '../../lifecycle/statuses.js';
import { OwnershipLostError } from '../../store/fence.js';
import type { HostOutput, OutputSink } from './host-output.js';
import { type Lease, retryWhileDatabaseAway } from '../lease/lease.js';
import { countProgress } from './progress-metrics.js';
import { type RecordFullHomes, storeProgress } from './progress-rows.js';
import { type HostChange, StepCounts, type HostOutputChunks } from './step-progress.js';
import type { HostOutcome } from './host-outcome.js';

const OUTPUT_DELAY_MS = 200;
/**
 * Delay in which changes of hosts are gathered into one transaction, in ms. The delay grows with the number of changes
 * and with the duration of the previous transaction, to relieve a busy database. In a step with very many hosts most of
 * them wait for a slot anyway. Larger transactions pay off there: a further step on 200 hosts takes an eighth less
 * time.
 */
const CHANGE_DELAY_MS = 4;
const MANY_CHANGES_COUNT = 3;
const MANY_HOSTS_COUNT = 100;
const MANY_CHANGES_DELAY = { usualMs: 20, longestMs: 40 };
const MANY_HOSTS_DELAY = { usualMs: 60, longestMs: 100 };
/** Delay for changes whose storage no work awaits, in ms. */
const UNAWAITED_DELAY_MS = 100;
const UNAWAITED_KINDS: ReadonlySet<HostChange['kind']> = new Set(['connecting', 'started']);
/** Approximate maximum of output per transaction, in bytes. The output is copied several times in memory. */
const MAX_TRANSACTION_BYTES = 1024 * 1024;

interface PendingStore {
  resolve(): void;
  reject(error: Error): void;
}

/**
 * Stores the host changes and output of one step, gathered into one transaction at a time. While the database is
 * unavailable, the writer waits and applies backpressure to the hosts, so nothing is lost and memory stays bounded.
 */
export class ProgressWriter implements OutputSink {
  private readonly counts: StepCounts;
  private readonly sources = new Set<HostOutput>();
  private changes: HostChange[] = [];
  private waiters: PendingStore[] = [];
  private timer: { at: number; handle: NodeJS.Timeout } | null = null;
  private flushing = false;
  private failure: Error | null = null;
  private closed = false;
  private changeMs = CHANGE_DELAY_MS;
  /** Due time of the earliest waiter, in terms of `performance.now`. */
  private dueAt = Number.POSITIVE_INFINITY;

  constructor(
    private readonly units: UnitOfWork,
    private readonly lease: Lease,
    private readonly step: { index: number; key: string },
    statuses: Iterable<[string, HostStatus]>,
    private readonly noteFullHomes?: RecordFullHomes,
  ) {
    this.counts = new StepCounts(statuses);
  }

  setStatuses(statuses: Iterable<[string, HostStatus]>): void {
    this.counts.setStatuses(statuses);
  }

  /** Queues a change; resolves when it is committed. @throws OwnershipLostError */
  addChange(change: HostChange): Promise<void> {
    if (this.failure || this.closed) return Promise.reject(this.failure ?? new OwnershipLostError());
    this.changes.push(toStorableChange(change));
    return this.waitForFlush(UNAWAITED_KINDS.has(change.kind) ? UNAWAITED_DELAY_MS : this.changeMs);
  }

  addOutput(source: HostOutput): void {
    this.sources.add(source);
  }

  removeOutput(source: HostOutput): void {
    this.sources.delete(source);
  }

  scheduleStore(isUrgent: boolean): void {
    this.scheduleFlush(isUrgent ? 0 : OUTPUT_DELAY_MS);
  }

  waitUntilStored(): Promise<void> {
    return this.failure || this.closed
      ? Promise.reject(this.failure ?? new OwnershipLostError())
      : this.waitForFlush(0);
  }

  /** Stores the waiting changes and rejects later ones, because another owner is about to get the lease. */
  async closeWriter(): Promise<void> {
    if (!this.failure && !this.closed) await this.waitForFlush(0).catch(() => undefined);
    this.closed = true;
    if (this.timer) clearTimeout(this.timer.handle);
  }

  private waitForFlush(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiters.push({ resolve, reject });
      this.dueAt = Math.min(this.dueAt, performance.now() + ms);
      this.scheduleFlush(ms);
    });
  }

  private scheduleFlush(ms: number): void {
    const at = performance.now() + ms;
    if (this.closed || this.flushing || (this.timer && this.timer.at <= at)) return;
    if (this.timer) clearTimeout(this.timer.handle);
    this.timer = { at, handle: setTimeout(() => void this.flushInOrder(), ms) };
  }

  private async flushInOrder(): Promise<void> {
    this.timer = null;
    this.flushing = true;
    const waiters = this.waiters;
    this.waiters = [];
    this.dueAt = Number.POSITIVE_INFINITY;
    const from = performance.now();
    const { usualMs, longestMs } =
      this.counts.reachedHostCount > MANY_HOSTS_COUNT ? MANY_HOSTS_DELAY : MANY_CHANGES_DELAY;
    const usual = this.changes.length >= MANY_CHANGES_COUNT ? usualMs : CHANGE_DELAY_MS;
    try {
      await this.lease.runInFlushOrder(() => this.storePending());
      this.changeMs = Math.min(longestMs, Math.max(usual, performance.now() - from));
      for (const waiter of waiters) waiter.resolve();
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error));
      for (const waiter of [...waiters, ...this.waiters]) waiter.reject(this.failure);
      this.waiters = [];
      if (error instanceof OwnershipLostError) this.lease.markLost();
    } finally {
      this.flushing = false;
    }
    if (this.failure || this.closed) return;
    if (this.waiters.length > 0) this.scheduleFlush(Math.max(0, this.dueAt - performance.now()));
    else if ([...this.sources].some((source) => source.hasUnstoredOutput)) this.scheduleFlush(OUTPUT_DELAY_MS);
  }

  private async storePending(): Promise<void> {
    const changes = this.changes;
    this.changes = [];
    const now = Date.now();
    const output = [...this.sources]
      .map((source) => ({ serverId: source.serverId, chunks: source.collectChunks(now) }))
      .filter(({ chunks }) => chunks.length > 0);
    for (const transactionBatch of splitIntoTransactions(changes, output, MAX_TRANSACTION_BYTES))
      await this.commitBatch(transactionBatch);
  }

  private async commitBatch(transactionBatch: TransactionBatch): Promise<void> {
    for (const change of transactionBatch.changes) this.counts.applyChange(change);
    const batch = {
      ...transactionBatch,
      stepIndex: this.step.index,
      stepKey: this.step.key,
      counts: this.counts.takeDelta(),
      flush: this.lease.takeFlushNumber(),
    };
    // A commit may have succeeded although its answer was lost. The flush number prevents storing it twice.
    await retryWhileDatabaseAway(this.lease, () =>
      this.units.run(this.lease.ref.tenantId, (tx) =>
        storeProgress(tx, this.lease.ref, this.lease.fence, batch, this.noteFullHomes),
      ),
    );
    countProgress(this.lease, this.step.index, transactionBatch);
  }
}

interface TransactionBatch {
  changes: HostChange[];
  output: HostOutputChunks[];
}

/**
 * Splits changes and output into transactions of about this many output bytes. The data of one host stays in one
 * transaction: after a take-over, the host's changes show which attempt its stored output belongs to.
 */
export function splitIntoTransactions(
  changes: readonly HostChange[],
  output: readonly HostOutputChunks[],
  maxBytes: number,
): TransactionBatch[] {
  const transactions: TransactionBatch[] = [{ changes: [], output: [] }];
  const batchOfHost = new Map<string, TransactionBatch>();
  let last = transactions[0] as TransactionBatch;
  let bytes = 0;
  for (const host of output) {
    if (bytes >= maxBytes) {
      last = { changes: [], output: [] };
      transactions.push(last);
      bytes = 0;
    }
    last.output.push(host);
    batchOfHost.set(host.serverId, last);
    bytes += host.chunks.reduce((sum, { data }) => sum + data.length, 0);
  }
  for (const change of changes) (batchOfHost.get(change.serverId) ?? last).changes.push(change);
  return transactions.filter((portion) => portion.changes.length > 0 || portion.output.length > 0);
}

/** PostgreSQL accepts neither NUL nor lone surrogates, and one refused text would fail the whole batch. */
const toStorableText = (text: string): string => text.replace(/\0|\p{Surrogate}/gu, '\ufffd');

const toStorableTextOrNull = (text: string | null): string | null => (text === null ? null : toStorableText(text));

const toStorableOutcome = (outcome: HostOutcome): HostOutcome => ({
  ...outcome,
  signal: toStorableTextOrNull(outcome.signal),
  message: toStorableTextOrNull(outcome.message),
});

export function toStorableChange(change: HostChange): HostChange {
  if (change.kind === 'retrying') return { ...change, outcome: toStorableOutcome(change.outcome) };
  if (change.kind !== 'finished') return change;
  const { diff } = change;
  return {
    ...change,
    outcome: toStorableOutcome(change.outcome),
    ...(diff === undefined ? {} : { diff: toStorableText(diff) }),
  };
}
