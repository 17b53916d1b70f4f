/** Compares two texts in a separate thread, because some texts take long. Node.js loads this file directly. */
import { createTwoFilesPatch } from 'diff';
import type { ComparedTexts, TextsToCompare } from './text-comparison.ts';

/** Returns a unified diff, truncated if it is long; null = the comparison took too long. */
export default function compareTexts({
  from,
  to,
  before,
  after,
  timeoutMs,
  limit: max,
}: TextsToCompare): ComparedTexts {
  const patch = createTwoFilesPatch(from, to, before, after, undefined, undefined, { timeout: timeoutMs });
  if (patch === undefined) return { text: null, moreLines: 0 };
  const text = patch.slice(patch.indexOf('---'));
  if (text.length <= max) return { text, moreLines: 0 };
  const end = text.lastIndexOf('\n', max) + 1;
  const excerpt = end > 0 ? text.slice(0, end) : text.slice(0, max).replace(/\p{Surrogate}$/u, '');
  return { text: excerpt, moreLines: countLines(text.slice(excerpt.length)) };
}

const countLines = (text: string): number => text.replace(/\n$/, '').split('\n').length;
