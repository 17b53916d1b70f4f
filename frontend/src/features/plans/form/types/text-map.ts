/**
 * Formats a map as `NAME=value` lines. A value with several lines, or one that could be parsed as a JSON string, is
 * written as a JSON string.
 */
export const linesOfMap = (map: Readonly<Record<string, string>>): string =>
  Object.entries(map)
    .map(([name, value]) => `${name}=${needsQuotes(value) ? JSON.stringify(value) : value}`)
    .join('\n');

/** Parses the format of `linesOfMap`. A line without `=` is a name with an empty value. Ignores blank lines. */
export const mapOfLines = (lines: string): Record<string, string> =>
  Object.fromEntries(
    lines
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line): [string, string] => {
        const at = line.indexOf('=');
        return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), valueOf(line.slice(at + 1))];
      }),
  );

/** Quotes around a value that needs none are part of the value. */
function valueOf(written: string): string {
  const value = quoted(written);
  return value !== null && needsQuotes(value) ? value : written;
}

const needsQuotes = (value: string): boolean => /[\n\r]/.test(value) || quoted(value) !== null;

/** Returns the value of a JSON string; null: not a JSON string. */
function quoted(text: string): string | null {
  if (!text.startsWith('"')) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}
