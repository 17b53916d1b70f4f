import fastStringWidth from 'fast-string-width';

/** Formats a table. The last column takes the remaining width. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = headings.map((head, column) =>
    Math.max(computeWidth(head), ...rows.map((row) => computeWidth(row[column] ?? ''))),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === cells.length - 1 ? cell : padToWidth(cell, widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(headings.map((head) => head.toUpperCase())), ...rows.map(line)];
}

/** Formats one name and value per line. Omits null values. */
export function formatFacts(pairs: readonly (readonly [name: string, value: string | null | undefined])[]): string[] {
  const given = pairs.filter((pair): pair is readonly [string, string] => pair[1] !== null && pair[1] !== undefined);
  const width = Math.max(0, ...given.map(([name]) => computeWidth(name)));
  return given.map(([name, value]) => `${padToWidth(name, width)}  ${value}`.trimEnd());
}

/** Returns the number of columns that a terminal needs for a text. */
export const computeWidth = (text: string): number => fastStringWidth(text);
/** Fills a text with spaces up to a number of columns. */
export const padToWidth = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - computeWidth(text)));
