import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { WritingStep } from '../../plans/steps/plan-content.js';
import type { CommandFacts } from '../../plans/rendering/command-facts.js';
import type { Redactor } from '../output/redact-secrets.js';
import { MAX_PRESENT_BYTES } from './present-file.js';
import { type StepSources, withPath, writtenContent } from './step-command.js';

/** Characters of a diff that are kept. */
const MAX_DIFF = 16_384;
/** A longer file is not compared. */
const MAX_COMPARED = 262_144;

/** What the two sides of a diff are called. */
export const NOW_AND_THEN = ['now', 'after the run'] as const;
export const BEFORE_AND_AFTER = ['before the run', 'after the run'] as const;

/**
 * How the file of a step differs from the one before, as a unified diff of bounded size in which secrets are masked; what
 * is no text is told by size and hash.
 *
 * @param compared.after what the step writes, as people may see it, where that is known
 * @throws CommandTemplateError; Problem 503 `busy`
 */
export async function fileDifference(
  written: WritingStep,
  sources: StepSources,
  facts: CommandFacts | undefined,
  compared: { before: Buffer; after?: string; redactor: Redactor; labels: readonly [string, string] },
): Promise<string> {
  const { before, redactor, labels } = compared;
  const step = await withPath(written, sources, facts);
  const after = Buffer.from(compared.after ?? (await writtenContent(step, sources, 'masked', facts)));
  if (!isText(after) || (step.type === 'file' && !isText(before)))
    return `Binary file ${step.path}: ${told(before)} ${labels[0]}, ${told(after)} ${labels[1]}.\n`;
  if (before.length > MAX_COMPARED || after.length > MAX_COMPARED)
    return 'The file is too large for its lines to be shown.\n';
  const texts = { before: redactor.text(before.toString()), after: redactor.text(after.toString()) };
  const patch = await sources.renderer.compare({ path: step.path, ...texts, labels });
  const text = (patch ?? 'The file differs in too many places to show them.\n').replaceAll('\0', '\ufffd');
  if (text.length <= MAX_DIFF) return text;
  return `${text.slice(0, MAX_DIFF).replace(/\p{Surrogate}$/u, '')}\n… The rest is left out.\n`;
}

/** What no diff of lines can show. A character that a bounded read cut in two is no binary. */
const isText = (bytes: Buffer): boolean => !bytes.includes(0) && (isUtf8(bytes) || isUtf8(bytes.subarray(0, -3)));

const told = (bytes: Buffer): string =>
  `${bytes.length >= MAX_PRESENT_BYTES ? `at least ${bytes.length}` : bytes.length} bytes (SHA-256 ${createHash('sha256').update(bytes).digest('hex')})`;
