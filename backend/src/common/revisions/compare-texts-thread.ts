/** What a thread does to compare two texts: how long that takes depends on what they are. Loaded by Node.js itself. */
import { createTwoFilesPatch } from 'diff';
import type { ComparedTexts, TextsToCompare } from './text-comparison.ts';

/** As a unified diff; one that takes too long to find is null, and of a long one there is the beginning. */
export default function compare({ from, to, before, after, timeoutMs, most }: TextsToCompare): ComparedTexts {
  const patch = createTwoFilesPatch(from, to, before, after, undefined, undefined, { timeout: timeoutMs });
  if (patch === undefined) return { text: null, moreLines: 0 };
  const text = patch.slice(patch.indexOf('---'));
  if (text.length <= most) return { text, moreLines: 0 };
  const end = text.lastIndexOf('\n', most) + 1;
  const shown = end > 0 ? text.slice(0, end) : text.slice(0, most).replace(/\p{Surrogate}$/u, '');
  return { text: shown, moreLines: linesOf(text.slice(shown.length)) };
}

const linesOf = (text: string): number => text.replace(/\n$/, '').split('\n').length;
