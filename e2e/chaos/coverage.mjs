/** Counts the situations in which the runs of a trial were, to prove that the trials cover them. Pure. */
import { isSwitchOfMode } from './checks/lookup.mjs';

export function coverageOf({ startRequests, runs, events, slices, dispatches, results, plans, evidence, steps }) {
  const counts = {};
  const add = (what, by = 1) => {
    if (by > 0) counts[what] = (counts[what] ?? 0) + by;
  };
  for (const { type, data } of events) {
    if (type === 'execution.status_changed' && data.status === 'PAUSED' && data.previous !== 'PAUSED')
      add(`paused: ${data.pauseReason}`);
    if (type === 'decision.made') add(`decided: ${data.action}`);
    if (type === 'approval.requested' && data.reason) add(`approval requested again: ${data.reason.code}`);
    if (type === 'approval.decided') add(`approval: ${data.decision}`);
    if (type === 'host.retrying') add('retried by the step');
    if (type === 'host.reconnecting') add('host checked');
    if (type === 'host.resolved') add(`resolved: ${data.resolution}`);
    if (type === 'host.finished' && data.reason?.code === 'step_timed_out') add('step timed out');
    if (type === 'host.finished' && data.status === 'UNKNOWN') add('unknown');
    if (isSwitchOfMode({ type, data })) add('switched mode');
    if (data.waitsFor === null) add('admitted');
  }
  add('slices', slices.length);
  add('slices taken over', slices.filter(({ epoch }) => epoch > 1).length);
  add('runs taken over', runs.filter(({ epoch }) => epoch > 1).length);
  add('reruns', runs.filter(({ parent }) => parent !== null).length);
  add('queued', startRequests.filter(({ queued }) => queued).length);
  add(
    'queued and ran',
    startRequests.filter(({ id, queued }) => queued && dispatches.some(({ run }) => run === id)).length,
  );
  add('dry runs', runs.filter(({ mode }) => mode === 'dry_run').length);
  add('intents', dispatches.length);
  const planOf = (run) => plans.find((plan) => plan.name === run?.planName.split(' ')[0]);
  const stepOf = (row) => planOf(runs.find((run) => run.id === row.run))?.steps;
  const free = runs.filter((run) => planOf(run)?.strategy === 'free');
  add('free runs', free.length);
  const indexes = new Map(steps.map(({ run, key, index }) => [`${run} ${key}`, index]));
  const startsOf = Map.groupBy(evidence, ({ run }) => run);
  add('free runs with hosts ahead', free.filter(({ id }) => hasHostsAhead(startsOf.get(id) ?? [], indexes)).length);
  const batched = results.filter((row) => stepOf(row)?.[row.index]?.batch);
  add('hosts in batches', batched.length);
  add('hosts of scripts', results.filter((row) => stepOf(row)?.[row.index]?.type === 'script').length);
  add('files', results.filter((row) => stepOf(row)?.[row.index]?.type === 'template').length);
  return counts;
}

/** Whether a host ran a later step while another host still ran an earlier step. */
const hasHostsAhead = (starts, indexes) => {
  const indexOf = ({ run, step }) => indexes.get(`${run} ${step}`);
  return starts.some((start) =>
    starts.some(
      (other) => indexOf(other) > indexOf(start) && other.startedAt < start.lastAt && other.host !== start.host,
    ),
  );
};
