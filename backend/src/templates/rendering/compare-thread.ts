/** What a thread does to compare two texts: how long that takes depends on what they are. Loaded by Node.js itself. */
import { createTwoFilesPatch } from 'diff';
import { hideBeside, hideReplaced } from './earlier-secrets.ts';
import type { CompareRequest } from './template-request.ts';

/** As a unified diff in which earlier values of secrets are hidden; null when that takes too long. */
export default function compare({ path, before, after, labels, timeoutMs, mostEdits }: CompareRequest): string | null {
  const old = hideBeside(before, after);
  const patch = createTwoFilesPatch(path, path, old, after, labels[0], labels[1], {
    timeout: timeoutMs,
    ...(mostEdits === undefined ? {} : { maxEditLength: mostEdits }),
  });
  return patch === undefined ? null : hideReplaced(patch);
}
