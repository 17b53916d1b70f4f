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
