import type { TemplateStep } from '../../plans/steps/plan-content.js';
import type { CommandFacts } from '../../plans/rendering/command-facts.js';
import type { Redactor } from '../output/redact-secrets.js';
import { renderedTemplate, type StepSources } from './step-command.js';

/** Characters of a diff that are kept. */
const MAX_DIFF = 16_384;
/** A longer file is not compared. */
const MAX_COMPARED = 262_144;

/** What the two sides of a diff are called. */
export const NOW_AND_THEN = ['now', 'after the run'] as const;
export const BEFORE_AND_AFTER = ['before the run', 'after the run'] as const;

/**
 * How the file of a step differs from the one before, as a unified diff of bounded size in which secrets are masked.
 *
 * @throws CommandTemplateError; Problem 503 `busy`
 */
export async function fileDifference(
  step: TemplateStep,
  sources: StepSources,
  facts: CommandFacts | undefined,
  { before, redactor, labels }: { before: string; redactor: Redactor; labels: readonly [string, string] },
): Promise<string> {
  const after = await renderedTemplate(step, sources, 'masked', facts);
  if (before.length > MAX_COMPARED || after.length > MAX_COMPARED)
    return 'The file is too large for its lines to be shown.\n';
  const texts = { before: redactor.text(before), after: redactor.text(after) };
  const patch = await sources.renderer.compare({ path: step.path, ...texts, labels });
  const text = (patch ?? 'The file differs in too many places to show them.\n').replaceAll('\0', '\ufffd');
  if (text.length <= MAX_DIFF) return text;
  return `${text.slice(0, MAX_DIFF).replace(/\p{Surrogate}$/u, '')}\n… The rest is left out.\n`;
}
