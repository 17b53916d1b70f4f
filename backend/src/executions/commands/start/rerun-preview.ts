import type { StepHostIds } from '../../continuation/continuation.js';
import type { FrozenHost } from '../../record/snapshot.js';
import { type ContinuedStart, describeMissingResults, MAX_NAMED_HOSTS } from './continue-run.js';
import type { RerunPreviewView, StepHostsView } from '../../contract/rerun-preview.view.js';

export function toRerunPreview(
  start: ContinuedStart,
  before: readonly FrozenHost[],
  fromStep: number,
): RerunPreviewView {
  const { run, continuation, gaps } = start;
  const { steps } = run.snapshot.plan;
  const names = new Map([...before, ...run.hosts].map(({ server_id, name }) => [server_id, name]));
  const view = ({ step, hosts }: StepHostIds): StepHostsView => ({
    stepKey: steps[step]?.key ?? '',
    stepName: steps[step]?.name ?? '',
    count: hosts.length,
    hosts: hosts.slice(0, MAX_NAMED_HOSTS).map((serverId) => ({ serverId, name: names.get(serverId) ?? '' })),
  });
  const countIn = (list: readonly StepHostIds[], index: number): number =>
    list.find(({ step }) => step === index)?.hosts.length ?? 0;
  return {
    hostCount: run.hosts.length,
    digest: run.digest,
    inheritedResults: start.inherited.length,
    steps: steps.map(({ key, name }, index) => ({
      key,
      name,
      leftOut: index < fromStep || start.passedOver.includes(index),
      runs: countIn(continuation.runs, index),
      repeats: countIn(continuation.repeats, index),
      done: countIn(continuation.done, index),
    })),
    repeats: continuation.repeats.map(view),
    gaps: gaps.map(view),
    missing: describeMissingResults(start),
  };
}
