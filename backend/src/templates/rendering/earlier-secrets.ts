/**
 * What a file held before the run may hold earlier values of its secrets, which nobody knows any more and so can't be
 * masked by what they are. They are found by where they stand.
 */

const MASK = /‹secret [A-Za-z_][A-Za-z0-9_]*›/;
const EARLIER = '‹not shown: earlier secret›';
/** Beginnings of lines that are looked for. */
const MOST_BEGINNINGS = 200;

/** Hides the rest of each line that begins as one does in which a secret stands now. */
export function hideBeside(before: string, after: string): string {
  const now = after.split('\n');
  const kept = new Set(now);
  const beginnings = new Set<string>();
  for (const line of now) {
    const [beginning = ''] = MASK.test(line) ? line.split('‹secret ') : [];
    if (beginning.trim() !== '' && beginnings.size < MOST_BEGINNINGS) beginnings.add(beginning);
  }
  if (beginnings.size === 0) return before;
  return before
    .split('\n')
    .map((line) => {
      if (kept.has(line) || MASK.test(line)) return line;
      const found = [...beginnings].find((beginning) => line.startsWith(beginning));
      return found === undefined ? line : found + EARLIER;
    })
    .join('\n');
}

/** Hides the lines of a unified diff that are replaced by one in which a secret stands. */
export function hideReplaced(patch: string): string {
  const lines = patch.split('\n');
  const isChange = (line: string | undefined): boolean =>
    line?.startsWith('-') === true || line?.startsWith('+') === true;
  // The first lines name the file.
  const body = lines.findIndex((line) => line.startsWith('@@'));
  for (let from = body; from >= 0 && from < lines.length; ) {
    if (!isChange(lines[from])) {
      from += 1;
      continue;
    }
    let end = from;
    while (isChange(lines[end])) end += 1;
    const secret = lines.slice(from, end).some((line) => line.startsWith('+') && MASK.test(line));
    for (let at = from; secret && at < end; at += 1) {
      const line = lines[at] ?? '';
      if (line.startsWith('-') && !MASK.test(line) && !line.endsWith(EARLIER)) lines[at] = `-${EARLIER}`;
    }
    from = end;
  }
  return lines.join('\n');
}
