import { enabledOf, type ServerSearch } from './server-filters';

/** Limits: filters per member and browser, and length of their names. */
export const MAX_SAVED_FILTERS = 20;
export const MAX_NAME_LENGTH = 60;
const MAX_VALUE_LENGTH = 1000;
const FIELDS = [
  'q',
  'environment',
  'selector',
  'state',
  'enabled',
  'protection',
  'sort',
] as const satisfies (keyof ServerSearch)[];

/** Named filters of the list. */
export interface SavedFilter {
  name: string;
  search: ServerSearch;
}

/** Storage key: each member has separate filters in this browser. */
export const storageKey = (tenantId: string, userId: string): string => `runward-server-filters:${tenantId}:${userId}`;

/** Stored filters; invalid entries are dropped. */
export function readSaved(text: string | null): SavedFilter[] {
  let stored: unknown;
  try {
    stored = JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
  if (!Array.isArray(stored)) return [];
  const found = new Map<string, SavedFilter>();
  for (const each of stored as unknown[]) {
    const { name, search } = (each ?? {}) as { name?: unknown; search?: unknown };
    if (typeof name !== 'string' || name.trim() === '' || name.length > MAX_NAME_LENGTH) continue;
    if (found.size < MAX_SAVED_FILTERS && !found.has(name)) found.set(name, { name, search: searchOf(search) });
  }
  return [...found.values()];
}

/** Only the filters of the URL. */
export function searchOf(value: unknown): ServerSearch {
  const given = (value ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    FIELDS.flatMap((field) => {
      const text = Object.hasOwn(given, field) ? given[field] : undefined;
      const fits = typeof text === 'string' && text !== '' && text.length <= MAX_VALUE_LENGTH;
      return fits && (field !== 'enabled' || enabledOf(text) !== undefined) ? [[field, text]] : [];
    }),
  );
}

/** Adds or replaces the filter with this name; sorted by name. */
export const withSaved = (saved: readonly SavedFilter[], filter: SavedFilter): SavedFilter[] =>
  [...saved.filter(({ name }) => name !== filter.name), filter].sort((one, other) =>
    one.name.localeCompare(other.name, 'en'),
  );

export const isSameSearch = (one: ServerSearch, other: ServerSearch): boolean =>
  FIELDS.every((field) => (one[field] ?? '') === (other[field] ?? ''));
