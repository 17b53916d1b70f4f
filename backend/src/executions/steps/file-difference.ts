import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { WritingStep } from '../../plans/steps/types/step-types.js';
import type { CommandFacts } from '../../plans/rendering/command-facts.js';
import type { Redactor } from '../output/redact-secrets.js';
import { MAX_PRESENT_BYTES } from './shell/present-file.js';
import type { StepSources } from './types/run-step-type.js';
import { getWritingStepType } from './types/run-step-types.js';
import { renderStepPath } from './types/written-file.js';

const MAX_DIFF_CHARACTERS = 16_384;
/** Maximum size of a compared file, in bytes. */
const MAX_COMPARED_BYTES = 262_144;

export const DIFF_LABELS = ['now', 'after the run'] as const;
export const FILE_LABELS = ['before the run', 'after the run'] as const;

/**
 * Compares the file that a step writes with the current one. Returns a unified diff of limited size with masked
 * secrets. Binary content is described by size and hash.
 *
 * @param compared.after displayable content that the step writes, if known
 * @throws CommandTemplateError; Problem 503 `busy`
 */
export async function renderFileDifference(
  written: WritingStep,
  sources: StepSources,
  facts: CommandFacts | undefined,
  compared: { before: Buffer; after?: string; redactor: Redactor; labels: readonly [string, string] },
): Promise<string> {
  const { before, redactor, labels } = compared;
  const step = await renderStepPath(written, sources, facts);
  const content = compared.after ?? (await getWritingStepType(step).renderContent(step, sources, 'masked', facts));
  const after = Buffer.from(content);
  if (!isTextContent(after) || (typeof content !== 'string' && !isTextContent(before)))
    return `Binary file ${step.path}: ${describeSizeAndHash(before)} ${labels[0]}, ${describeSizeAndHash(after)} ${labels[1]}.\n`;
  if (before.length > MAX_COMPARED_BYTES || after.length > MAX_COMPARED_BYTES)
    return 'The file is too large to show its lines.\n';
  const texts = { before: redactor.text(before.toString()), after: redactor.text(after.toString()) };
  const patch = await sources.renderer.compare({ path: step.path, ...texts, labels });
  const text = (patch ?? 'The file has too many differences to show.\n').replaceAll('\0', '\ufffd');
  if (text.length <= MAX_DIFF_CHARACTERS) return text;
  return `${text.slice(0, MAX_DIFF_CHARACTERS).replace(/\p{Surrogate}$/u, '')}\n… The rest is left out.\n`;
}

/**
 * Whether a line diff is possible. A limited read may have cut the last UTF-8 character, so incomplete bytes at the end
 * are accepted.
 */
const isTextContent = (bytes: Buffer): boolean =>
  !bytes.includes(0) && (isUtf8(bytes) || isUtf8(bytes.subarray(0, -3)));

const describeSizeAndHash = (bytes: Buffer): string =>
  `${bytes.length >= MAX_PRESENT_BYTES ? `at least ${bytes.length}` : bytes.length} bytes (SHA-256 ${createHash('sha256').update(bytes).digest('hex')})`;
