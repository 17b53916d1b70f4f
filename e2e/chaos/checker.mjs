/**
 * The invariants (docs: what must hold whatever fails), each a function from what the database and the hosts hold to what
 * breaks it. Pure: nothing here asks anybody.
 *
 * @typedef {{ invariant: string, kind: 'lost' | 'doubled' | 'false_success' | 'stuck' | 'order' | 'other', run: string | null, text: string }} Violation
 *
 * What is looked at (`Found`):
 * - `asked`: each start that was asked for: `marker`, `id` (of the run, once a start was answered by 201)
 * - `said`: everything else that people asked for: `run`, `act`, `step`
 * - `plans`: as the scenario has them, see plans.mjs
 * - `evidence`: `Start[]` of all hosts, see evidence.mjs; `bootMs`: when their clocks began; `files`: what template steps wrote
 * - `comings`: when a host came to a step: `after` this event of the run, `pauseAsked` by then
 * - `now` and `runs`, `steps`, `hosts`, `results`, `dispatches`, `slices`, `outputs`, `events`, `approvals`, `audit`, `guardKeys`:
 *   rows, see collect.mjs
 */
import { everyDeedIsAudited, everyTransitionIsAudited } from './checks/audit.mjs';
import * as course from './checks/course.mjs';
import { everyAcceptedRunEnds, nothingIsBrokenOff } from './checks/ends.mjs';
import { guardKeysBelong, queuedRunsGoOnce, runsNeverOverlap } from './checks/guard.mjs';
import { Lookup } from './checks/lookup.mjs';
import * as moves from './checks/moves.mjs';
import * as people from './checks/people.mjs';
import * as results from './checks/results.mjs';
import * as starts from './checks/starts.mjs';

export const INVARIANTS = [
  everyAcceptedRunEnds,
  nothingIsBrokenOff,
  starts.startsAtMostOnce,
  starts.attemptsAreAskedFor,
  starts.attemptsFollowEachOther,
  starts.startsHaveIntents,
  results.resultsWereObserved,
  results.endedMeansEnded,
  starts.notStartedMeansNoStart,
  runsNeverOverlap,
  starts.olderEpochsAreSilent,
  results.outputIsAPrefix,
  results.filesAreWhole,
  results.outputsArePassedOn,
  everyTransitionIsAudited,
  everyDeedIsAudited,
  guardKeysBelong,
  queuedRunsGoOnce,
  course.stepsAreBarriers,
  course.batchesAreBarriers,
  course.failedHostsTakeNoPart,
  course.alwaysMeansAlways,
  moves.nothingBeginsAfterAFailure,
  moves.aPauseIsHeeded,
  moves.nothingIsLeftOut,
  course.handlersFollowChanges,
  course.dryRunsStartNothing,
  people.nothingBeginsUnapproved,
  people.nobodyIsPassedOver,
  people.abortMeansAbort,
];

/** @returns {Violation[]} all that is broken */
export function check(found) {
  const at = new Lookup(found);
  return INVARIANTS.flatMap((invariant) => invariant(found, at));
}
