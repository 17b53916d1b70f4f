/** Formats a map as `NAME=value` lines. */
export const linesOfMap = (map: Readonly<Record<string, string>>): string =>
  Object.entries(map)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');

/** Parses `NAME=value` lines; a line without `=` is a name with an empty value, blank lines are ignored. */
export const mapOfLines = (lines: string): Record<string, string> =>
  Object.fromEntries(
    lines
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line): [string, string] => {
        const at = line.indexOf('=');
        return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1)];
      }),
  );
