/** Position in a text; line and column start at 1. */
export interface Place {
  line: number;
  column: number;
}

/** Errors of a template that cannot be rendered; empty for other problems. */
export function faultsOf(
  errors: readonly { code: string; message: string; line?: number; column?: number }[],
): { message: string; place: Place | null }[] {
  if (errors.some(({ code }) => code === 'not_found')) return [];
  return errors.map(({ message, line, column }) => ({
    message,
    place: line === undefined || column === undefined ? null : { line, column },
  }));
}

/** Offset of a position; the end of the text if it does not exist. */
export function offsetOf(text: string, { line, column }: Place): number {
  let begin = 0;
  for (let number = 1; number < line; number += 1) {
    const end = text.indexOf('\n', begin);
    if (end < 0) return text.length;
    begin = end + 1;
  }
  return Math.min(text.length, begin + column - 1);
}
