import { isPlaceholder } from '../../plans/steps/types/gate.step.js';
import type { PlanContent } from '../../plans/steps/plan-content.js';
import type { PlanStep } from '../../plans/steps/types/step-types.js';
import { getRunStepType } from './types/run-step-types.js';
import type { StepPolicy } from '../lifecycle/run-state.js';

export const toStepPolicy = (step: PlanStep, plan: PlanContent): StepPolicy => ({
  gate: getRunStepType(step).runs === 'pause',
  placeholder: isPlaceholder(step),
  confirm: step.confirm,
  always: step.always,
  runOnce: step.runOnce,
  batch: parseBatch(step.batch),
  maxFailPercent: step.maxFailPercent,
  onFailure: step.onFailure ?? plan.onFailure,
  continuesOnFailure: step.onFailure === 'continue',
  onlyIfChanged: step.onlyIfChanged,
});

/** Parses "5" (hosts) or "25%" (of the hosts). */
function parseBatch(text: string | null): StepPolicy['batch'] {
  if (text === null) return null;
  const number = Number.parseInt(text, 10);
  return text.endsWith('%') ? { percent: number } : { hosts: number };
}
