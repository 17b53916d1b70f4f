import type { PlanStep } from '../../../plans/steps/types/step-types.js';
import { toStartingStep, toStepRules } from '../../steps/step-command.js';
import type { Verdict } from '../../lifecycle/statuses.js';

/** Verdicts of earlier steps on one host, by step key. A step without an entry does not run there. */
export type EarlierVerdicts = Readonly<Record<string, Verdict | null>>;

/**
 * Returns whether a handler would run on a host: at least one step that notifies it would change the host. A step
 * without `changedExitCodes` counts as a change whenever its command succeeds, whatever its check predicts.
 */
export function wouldBeTriggered(
  step: PlanStep,
  steps: readonly PlanStep[],
  earlier: EarlierVerdicts,
): boolean | 'unknown' {
  if (step.onlyIfChanged.length === 0) return true;
  const changes = step.onlyIfChanged.map((key) => {
    const trigger = steps.find((each) => each.key === key);
    return trigger && Object.hasOwn(earlier, key) ? wouldChangeHost(trigger, earlier[key] ?? null) : false;
  });
  if (changes.includes(true)) return true;
  return changes.includes('unknown') ? 'unknown' : false;
}

function wouldChangeHost(trigger: PlanStep, verdict: Verdict | null): boolean | 'unknown' {
  const starting = toStartingStep(trigger);
  if (!starting || verdict === 'WOULD_SKIP') return false;
  const { reportsChange, readOnly, changedExitCodes } = toStepRules(starting);
  if (reportsChange) return verdict === 'WOULD_CHANGE' ? true : verdict === 'NO_CHANGE' ? false : 'unknown';
  if (readOnly) return false;
  if (verdict === 'WOULD_CHANGE') return true;
  if (verdict !== 'WOULD_RUN' && verdict !== 'NO_CHANGE') return 'unknown';
  if (changedExitCodes.length === 0) return true;
  return verdict === 'NO_CHANGE' ? false : 'unknown';
}
