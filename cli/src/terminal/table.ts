/** Formats a table. The last column takes the remaining width. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = headings.map((head, column) =>
    Math.max(widthOf(head), ...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === cells.length - 1 ? cell : pad(cell, widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(headings.map((head) => head.toUpperCase())), ...rows.map(line)];
}

/** Formats one name and value per line. Omits null values. */
export function facts(pairs: readonly (readonly [name: string, value: string | null | undefined])[]): string[] {
  const given = pairs.filter((pair): pair is readonly [string, string] => pair[1] !== null && pair[1] !== undefined);
  const width = Math.max(0, ...given.map(([name]) => widthOf(name)));
  return given.map(([name, value]) => `${pad(name, width)}  ${value}`.trimEnd());
}

/** Returns the width in characters. Wide characters count as one. */
const widthOf = (text: string): number => [...text].length;
const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));
