/** Validators of search parameters drop invalid values. */
export type Search = Record<string, unknown>;

/** Omits undefined values, so that the URL contains no empty parameters. */
export function given<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}

export function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function texts(value: unknown): string | string[] | undefined {
  if (!Array.isArray(value)) return text(value);
  const found = value.flatMap((each) => text(each) ?? []);
  return found.length > 1 ? found : found[0];
}

export function oneOf<T extends string>(value: unknown, allowed: readonly T[]): T | undefined {
  return allowed.find((one) => one === value);
}

export function wholeNumber(value: unknown): number | undefined {
  const found = typeof value === 'string' ? Number(value) : value;
  return typeof found === 'number' && Number.isSafeInteger(found) && found > 0 ? found : undefined;
}

/** Returns a time as ISO 8601 in UTC. */
export function instant(value: unknown): string | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
