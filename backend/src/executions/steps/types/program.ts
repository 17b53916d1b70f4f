import type { ProgramStep } from '../../../plans/steps/types/step-types.js';
import {
  isRenderingFault,
  type Prediction,
  type RenderForecast,
  toBlockedPrediction,
  toPrediction,
  toUnknownPrediction,
  UNLESS_UNDECIDED,
} from './prediction.js';
import type { StepCommand, StepRules, StepSources, StepText } from './run-step-type.js';
import { joinTexts, renderUnlessText } from './step-text.js';

export function getProgramRules(step: ProgramStep): StepRules {
  const { become, workingDirectory, okExitCodes, changedExitCodes, readOnly, idempotent, outputs } = step;
  return {
    ...{ timeoutSeconds: step.timeoutSeconds, become, workingDirectory, okExitCodes, changedExitCodes },
    ...{ readOnly, idempotent, outputs, reportsChange: false },
  };
}

export const toProgramSettings = (step: ProgramStep): Omit<StepCommand, 'command' | 'become' | 'unless'> => ({
  workingDirectory: step.workingDirectory,
  environment: step.environment,
  okExitCodes: step.okExitCodes,
  changedExitCodes: step.changedExitCodes,
  readOnly: step.readOnly,
  idempotent: step.idempotent,
  outputs: step.outputs.length > 0,
  reportsChange: false,
});

/** Returns a line for each command or setting besides the main command, because these also act on hosts. */
export async function renderSettingsText(step: ProgramStep, sources: StepSources): Promise<StepText> {
  const { unless, workingDirectory, environment } = step;
  const skips = unless === null ? [] : [await renderUnlessText(unless, sources)];
  const settings = [
    ...(workingDirectory === null ? [] : [`workingDirectory: ${workingDirectory}`]),
    ...Object.entries(environment).map(([name, value]) => `environment: ${name}=${value}`),
  ];
  return joinTexts([...skips, ...settings.map((text) => ({ text, rendered: true }))], '\n');
}

export function predictProgram(
  step: ProgramStep,
  { command, check, script }: RenderForecast,
  isProtected: boolean,
): Prediction {
  if (command === 'needs_results')
    return toUnknownPrediction('needs_results', 'The command depends on results of earlier steps.');
  if (step.unless !== null) return UNLESS_UNDECIDED;
  const run = script ? `The script would run with "${script.program.join(' ')}"` : 'The command would run';
  if (step.readOnly) return toPrediction('WOULD_RUN', 'read_only', `${run} and change nothing.`, { changed: false });
  if (step.check === null)
    return toPrediction(
      'WOULD_RUN',
      'no_check',
      `${run}. Its changes are not predicted, because the step has no check.`,
    );
  if (isRenderingFault(check))
    return toBlockedPrediction('check_not_rendered', `The check cannot be rendered: ${check.fault}`);
  if (check === 'needs_results')
    return toUnknownPrediction('needs_results', 'The check depends on results of earlier steps.');
  if (isProtected)
    return toUnknownPrediction(
      'check_needs_approval',
      'The environment is protected. A check is a command, so it needs an approval. A dry run has none.',
    );
  return toUnknownPrediction('check_not_run', 'The check was not run.', { needsCheck: true });
}
