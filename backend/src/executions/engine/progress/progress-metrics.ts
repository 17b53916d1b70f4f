import { connectFailures, firstCommandSeconds, hostResults, outputBytes } from '../../../common/metrics/metrics.js';
import type { Lease } from '../lease/lease.js';
import { HOST_STATUSES, isHostFinished } from '../../lifecycle/statuses.js';
import type { HostChange, HostOutputChunks } from './step-progress.js';

// Without a series at 0, `increase` would not see the first result of a status.
for (const status of HOST_STATUSES) if (isHostFinished(status)) hostResults.inc({ status }, 0);

/** Runs whose first command this process has measured; the oldest are dropped. */
const measuredRuns = new Set<string>();
const MAX_MEASURED_RUNS = 1_000;

/** Counts results, output and the first command of a committed batch. */
export function countProgress(
  { ref, fence }: Pick<Lease, 'ref' | 'fence'>,
  stepIndex: number,
  { changes, output }: { changes: readonly HostChange[]; output: readonly HostOutputChunks[] },
): void {
  for (const change of changes) {
    if (change.kind !== 'finished') continue;
    const { status, code } = change.outcome;
    hostResults.inc({ status });
    if (status === 'UNREACHABLE' || status === 'HOST_KEY_CHANGED' || status === 'HOST_KEY_UNKNOWN')
      connectFailures.inc({ code: code ?? 'unknown' });
  }
  for (const { chunks } of output) for (const { data } of chunks) outputBytes.inc(data.length);
  // A later owner did not start the first command.
  if (stepIndex !== 0 || fence.epoch !== 1 || !changes.some(({ kind }) => kind === 'dispatch')) return;
  const { executionId } = ref;
  if (measuredRuns.has(executionId)) return;
  measuredRuns.add(executionId);
  const [oldest] = measuredRuns;
  if (measuredRuns.size > MAX_MEASURED_RUNS && oldest !== undefined) measuredRuns.delete(oldest);
  firstCommandSeconds.observe(Math.max(0, Date.now() - readCreationTime(executionId)) / 1000);
}

/** Returns the time in a version 7 UUID, in ms since 1970. */
const readCreationTime = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
