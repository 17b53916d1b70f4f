/**
 * Runs in a worker thread, because the duration of a comparison depends on the texts. Node.js loads this file directly.
 */
import { createTwoFilesPatch } from 'diff';
import { hideByPrefix, hideReplaced } from './earlier-secrets.ts';
import type { CompareRequest } from './template-request.ts';

/** @returns a unified diff in which earlier values of secrets are hidden; null: the comparison took too long */
export default function compare({ path, before, after, labels, timeoutMs, maxEdits }: CompareRequest): string | null {
  const old = hideByPrefix(before, after);
  const patch = createTwoFilesPatch(path, path, old, after, labels[0], labels[1], {
    timeout: timeoutMs,
    ...(maxEdits === undefined ? {} : { maxEditLength: maxEdits }),
  });
  return patch === undefined ? null : hideReplaced(patch);
}
