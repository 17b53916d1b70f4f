/**
 * Values of a composed statement, in the order of their placeholders. Leave out the condition of an unused filter: `$2
 * is null or …` would keep the planner from using the right index.
 */
export class StatementValues {
  readonly list: unknown[];

  /** @param first values for the placeholders `$1`, `$2` and so on */
  constructor(...first: unknown[]) {
    this.list = first;
  }

  /** @returns placeholder of the new value, such as `$3` */
  of(value: unknown): string {
    return `$${this.list.push(value)}`;
  }
}

/**
 * Returns a condition for an optional value.
 * @param condition builds SQL from the placeholder of the value
 * @returns one condition; none if the value is null or undefined
 */
export function conditionIf<T>(
  values: StatementValues,
  value: T | null | undefined,
  condition: (placeholder: string) => string,
): string[] {
  return value === null || value === undefined ? [] : [condition(values.of(value))];
}

export const allOf = (conditions: readonly string[]): string =>
  conditions.length > 0 ? conditions.join(' and ') : 'true';
