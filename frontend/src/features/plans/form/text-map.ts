/** A map of texts as lines `NAME=value`. */
export const linesOfMap = (map: Readonly<Record<string, string>>): string =>
  Object.entries(map)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');

/** Lines `NAME=value` as a map; a line without `=` is a name with an empty value, empty lines count for nothing. */
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
