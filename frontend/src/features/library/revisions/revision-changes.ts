import type { LibraryDiff } from '../../../api/types';

type Revision = LibraryDiff['to'];

/** Returns the differences other than lines of the content, one per line. */
export function changeLines({ from, to, changes }: LibraryDiff): string[] {
  return changes.flatMap((part) => {
    if (part === 'content') return [];
    const textOf = part === 'source' ? sourceText : interpreterText;
    return [`${part === 'source' ? 'Content' : 'Interpreter'}: ${from ? textOf(from) : 'none'} → ${textOf(to)}`];
  });
}

const interpreterText = (revision: Revision): string =>
  ('interpreter' in revision ? revision.interpreter : null) ?? 'line 1';

function sourceText({ source }: Revision): string {
  if (source === null) return 'stored in Runward';
  return `${source.path} of a git source${source.ref === null ? '' : ` at ${source.ref}`}`;
}
