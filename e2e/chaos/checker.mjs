/**
 * Invariants of a trial. Each is a pure function that compares the rows of the database with the records of the hosts
 * and returns violations.
 *
 * @typedef {{ invariant: string, kind: 'lost' | 'doubled' | 'false_success' | 'stuck' | 'order' | 'other', run: string
 *   | null, text: string }} Violation
 *
 * Input (`Found`):
 * - `startRequests`: each requested start: `marker`, and the run's `id` once a start was answered with 201
 * - `actions`: all other requests of users: `run`, `act`, `step`
 * - `plans`: plans of the scenario, see plans.mjs
 * - `evidence`: `Start[]` of all hosts, see evidence.mjs; `bootMs`: boot time of the hosts; `files`: files written by
 *   template steps
 * - `stepEntries`: a host entered a step: `after` this event of the run; `pauseRequested`: whether a pause was
 *   requested by then
 * - `now` and `runs`, `steps`, `hosts`, `results`, `dispatches`, `slices`, `outputs`, `events`, `approvals`, `audit`,
 *   `guardKeys`, `queue`: rows, see collect.mjs
 */
import { everyActionIsAudited, everyTransitionIsAudited } from './checks/audit.mjs';
import * as order from './checks/order.mjs';
import { everyAcceptedRunEnds, engineDoesNotFail } from './checks/ends.mjs';
import { guardKeysMatchRuns, queuedRunsStartOnce, runsNeverOverlap } from './checks/guard.mjs';
import { Lookup } from './checks/lookup.mjs';
import * as progress from './checks/progress.mjs';
import * as people from './checks/people.mjs';
import * as results from './checks/results.mjs';
import * as starts from './checks/starts.mjs';

export const INVARIANTS = [
  everyAcceptedRunEnds,
  engineDoesNotFail,
  starts.startsAtMostOnce,
  starts.attemptsMatchRetries,
  starts.attemptsFollowEachOther,
  starts.startsHaveIntents,
  results.resultsWereObserved,
  results.endedMeansEnded,
  starts.notStartedMeansNoStart,
  runsNeverOverlap,
  starts.olderEpochsWriteNothing,
  results.outputIsAPrefix,
  results.filesAreWhole,
  results.outputsArePassedOn,
  everyTransitionIsAudited,
  everyActionIsAudited,
  guardKeysMatchRuns,
  queuedRunsStartOnce,
  order.stepsAreBarriers,
  order.batchesAreBarriers,
  order.failedHostsAreDropped,
  order.alwaysStepsRun,
  progress.noStepEntryAfterFailure,
  progress.pausesAreRespected,
  progress.everyHostHasResults,
  order.handlersFollowChanges,
  order.dryRunsStartNothing,
  people.nothingStartsUnapproved,
  people.confirmationsAreRespected,
  people.nothingIsSentAfterAbort,
];

export function check(found) {
  const at = new Lookup(found);
  return INVARIANTS.flatMap((invariant) => invariant(found, at));
}
