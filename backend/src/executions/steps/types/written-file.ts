import type { CommandFacts } from '../../../plans/rendering/command-facts.js';
import type { WritingStep } from '../../../plans/steps/types/step-types.js';
import { type Prediction, type RenderForecast, toUnknownPrediction, UNLESS_UNDECIDED } from './prediction.js';
import type { StepRules, StepSources, StepText } from './run-step-type.js';
import { joinTexts, renderOrFallback, renderUnlessText } from './step-text.js';

/** Idempotent: writing the same file again changes nothing, so the step may be repeated after a lost connection. */
export const WRITING_SETTINGS = {
  workingDirectory: null,
  environment: {},
  okExitCodes: [0],
  changedExitCodes: [],
  readOnly: false,
  idempotent: true,
  outputs: false,
  reportsChange: true,
};

export function getWritingRules({ timeoutSeconds, become }: WritingStep): StepRules {
  const { environment: _, ...settings } = WRITING_SETTINGS;
  return { ...settings, timeoutSeconds, become, outputs: [] };
}

/** Returns the step with the rendered path. @throws CommandTemplateError */
export const renderStepPath = async <Step extends WritingStep>(
  step: Step,
  { values, renderer }: StepSources,
  facts?: CommandFacts,
): Promise<Step> => ({ ...step, path: await renderer.text('path', step.path, values, facts) });

export function predictWriting(step: WritingStep, { command }: RenderForecast): Prediction {
  if (command === 'needs_results')
    return toUnknownPrediction('needs_results', 'The file depends on results of earlier steps.');
  if (step.unless !== null) return UNLESS_UNDECIDED;
  return toUnknownPrediction('file_not_read', 'The file was not read.', { needsCheck: true });
}

/**
 * Returns the path and the origin of a file, its settings, and the file.
 * @param settings further lines
 */
export async function describeWriting(
  step: WritingStep,
  sources: StepSources,
  from: string,
  { before = [], after = {}, file }: { before?: string[]; after?: Record<string, string | null>; file: StepText },
): Promise<StepText> {
  const { values, renderer } = sources;
  const { owner, group, mode, backup, unless } = step;
  const head = await renderOrFallback(() => renderer.text('path', step.path, values), step.path);
  const settings = Object.entries({ owner, group, mode, backup: backup ? 'yes' : null, ...after });
  const lines = [...before, ...settings.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]))];
  const skips = unless === null ? [] : [await renderUnlessText(unless, sources)];
  const plain = (text: string) => ({ text, rendered: true });
  return joinTexts(
    [{ ...head, text: `${head.text} from ${from}` }, ...lines.map(plain), ...skips, plain(''), file],
    '\n',
  );
}
