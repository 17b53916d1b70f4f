/**
 * The values of a statement that is put together from parts, in the order of their placeholders. A filter that is not in use
 * leaves nothing in the statement: `$2 is null or …` would keep the planner from the index that fits.
 */
export class StatementValues {
  readonly list: unknown[];

  /** @param first values that the statement names as `$1`, `$2` and so on */
  constructor(...first: unknown[]) {
    this.list = first;
  }

  /** @returns the value's placeholder, such as `$3` */
  of(value: unknown): string {
    return `$${this.list.push(value)}`;
  }
}

/**
 * A condition on a value that may not be there.
 * @param condition makes SQL of the value's placeholder
 * @returns none or one, to be spread among others
 */
export function conditionIf<T>(
  values: StatementValues,
  value: T | null | undefined,
  condition: (placeholder: string) => string,
): string[] {
  return value === null || value === undefined ? [] : [condition(values.of(value))];
}

/** SQL of conditions that all hold. */
export const allOf = (conditions: readonly string[]): string =>
  conditions.length > 0 ? conditions.join(' and ') : 'true';
