/**
 * Hides earlier values of secrets in the previous content of a file. Runward no longer knows these values, so it finds
 * them by their position in the file.
 */

const SECRET_MASK = /‹secret [A-Za-z_][A-Za-z0-9_]*›/;
const EARLIER_SECRET_MASK = '‹not shown: earlier secret›';
const MAX_PREFIXES = 200;

/** Hides the rest of each line that has the same prefix as a line with a secret in the new content. */
export function hideByPrefix(before: string, after: string): string {
  const now = after.split('\n');
  const currentLines = new Set(now);
  const prefixes = new Set<string>();
  for (const line of now) {
    const [prefix = ''] = SECRET_MASK.test(line) ? line.split('‹secret ') : [];
    if (prefix.trim() !== '' && prefixes.size < MAX_PREFIXES) prefixes.add(prefix);
  }
  if (prefixes.size === 0) return before;
  return before
    .split('\n')
    .map((line) => {
      if (currentLines.has(line) || SECRET_MASK.test(line)) return line;
      const found = [...prefixes].find((prefix) => line.startsWith(prefix));
      return found === undefined ? line : found + EARLIER_SECRET_MASK;
    })
    .join('\n');
}

/** Hides lines of a unified diff that are replaced by a line with a secret. */
export function hideReplaced(patch: string): string {
  const lines = patch.split('\n');
  const isChange = (line: string | undefined): boolean =>
    line?.startsWith('-') === true || line?.startsWith('+') === true;
  // Skips the header, which names the file.
  const body = lines.findIndex((line) => line.startsWith('@@'));
  for (let from = body; from >= 0 && from < lines.length; ) {
    if (!isChange(lines[from])) {
      from += 1;
      continue;
    }
    let end = from;
    while (isChange(lines[end])) end += 1;
    const secret = lines.slice(from, end).some((line) => line.startsWith('+') && SECRET_MASK.test(line));
    for (let at = from; secret && at < end; at += 1) {
      const line = lines[at] ?? '';
      if (line.startsWith('-') && !SECRET_MASK.test(line) && !line.endsWith(EARLIER_SECRET_MASK))
        lines[at] = `-${EARLIER_SECRET_MASK}`;
    }
    from = end;
  }
  return lines.join('\n');
}
