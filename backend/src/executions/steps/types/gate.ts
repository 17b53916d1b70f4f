import { type GateStep, isPlaceholder } from '../../../plans/steps/types/gate.step.js';
import { toBlockedPrediction, toPrediction } from './prediction.js';
import type { PauseStepType } from './run-step-type.js';

export const GATE: PauseStepType<GateStep> = {
  runs: 'pause',
  subjectFields: ['message'],
  getSubject: ({ message }) => message,
  predict: (step) =>
    isPlaceholder(step)
      ? toBlockedPrediction('plan_incomplete', `The plan is incomplete here: ${step.message}`)
      : toPrediction('WOULD_RUN', 'waits_for_person', `Waits for a person: ${step.message}`),
  describe: ({ message }) => Promise.resolve({ text: message, rendered: true }),
};
