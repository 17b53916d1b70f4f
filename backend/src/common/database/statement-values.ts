/**
 * Values of a composed statement, in the order of their placeholders. An unused filter adds nothing to the statement:
 * `$2 is null or …` would keep the planner from using the right index.
 */
export class StatementValues {
  readonly list: unknown[];

  /** @param first values for the placeholders `$1`, `$2` and so on */
  constructor(...first: unknown[]) {
    this.list = first;
  }

  /** @returns placeholder of the value, such as `$3` */
  of(value: unknown): string {
    return `$${this.list.push(value)}`;
  }
}

/**
 * Condition on an optional value.
 * @param condition builds SQL from the placeholder of the value
 * @returns zero or one condition, for spreading
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
