/** Runs in a worker thread, because the time to compare depends on the texts. Node.js loads this file directly. */
import { createTwoFilesPatch } from 'diff';
import { hideByPrefix, hideReplaced } from './earlier-secrets.ts';
import type { CompareRequest } from './template-request.ts';

/** @returns a unified diff with earlier values of secrets hidden; null: it took too long */
export default function compare({ path, before, after, labels, timeoutMs, mostEdits }: CompareRequest): string | null {
  const old = hideByPrefix(before, after);
  const patch = createTwoFilesPatch(path, path, old, after, labels[0], labels[1], {
    timeout: timeoutMs,
    ...(mostEdits === undefined ? {} : { maxEditLength: mostEdits }),
  });
  return patch === undefined ? null : hideReplaced(patch);
}
