import { enabledOf, type ServerSearch } from './server-filters';

/** Maximum number of filters per member and browser, and maximum length of their names. */
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

export interface SavedFilter {
  name: string;
  search: ServerSearch;
}

/** Returns a storage key for the member, because several members may share the browser. */
export const storageKey = (tenantId: string, userId: string): string => `runward-server-filters:${tenantId}:${userId}`;

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

/** Adds or replaces the filter with this name. Sorts filters by name. */
export const withSaved = (saved: readonly SavedFilter[], filter: SavedFilter): SavedFilter[] =>
  [...saved.filter(({ name }) => name !== filter.name), filter].sort((one, other) =>
    one.name.localeCompare(other.name, 'en'),
  );

export const isSameSearch = (one: ServerSearch, other: ServerSearch): boolean =>
  FIELDS.every((field) => (one[field] ?? '') === (other[field] ?? ''));
