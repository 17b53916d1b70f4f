/** Line and column start at 1. */
export interface Place {
  line: number;
  column: number;
}

/** Returns the errors of a template that cannot be rendered; empty for other problems. */
export function faultsOf(
  errors: readonly { code: string; message: string; line?: number; column?: number }[],
): { message: string; place: Place | null }[] {
  if (errors.some(({ code }) => code === 'not_found')) return [];
  return errors.map(({ message, line, column }) => ({
    message,
    place: line === undefined || column === undefined ? null : { line, column },
  }));
}

/** Returns the offset of a position. If the position does not exist, returns the end of the text. */
export function offsetOf(text: string, { line, column }: Place): number {
  let begin = 0;
  for (let number = 1; number < line; number += 1) {
    const end = text.indexOf('\n', begin);
    if (end < 0) return text.length;
    begin = end + 1;
  }
  return Math.min(text.length, begin + column - 1);
}
