/** Ids are made by the clocks of processes, times of records by the database's. */
const CLOCKS_APART_MS = 3_600_000;
const MOST_MS = 2 ** 48 - 1;

/** The lowest id that could have been made at a moment (ms since 1970). */
function lowestId(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), MOST_MS).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** No record whose time is at or after this instant has a lower id, unless clocks are more than an hour apart. */
export const lowestIdFrom = (from: string): string => lowestId(Math.floor(Date.parse(from)) - CLOCKS_APART_MS);

/** Every record whose time is before this instant has a lower id, unless clocks are more than an hour apart. */
export const lowestIdAfter = (to: string): string => lowestId(Math.ceil(Date.parse(to)) + CLOCKS_APART_MS);
