import { v7 } from 'uuid';

/** Maximum clock difference: IDs contain the time of the process, records that of the database. */
const MAX_CLOCK_SKEW_MS = 3_600_000;
const MAX_ID_TIMESTAMP_MS = 2 ** 48 - 1;

/** Creates a UUIDv7 in lower case. IDs of one process sort in order of creation. */
export function newId(): string {
  return v7();
}

/** Whether `text` is an ID in the API's format: any UUID in lower case. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

/** @param ms time in ms since 1970 */
function toLowestId(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), MAX_ID_TIMESTAMP_MS).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** No record at or after this time has a lower ID, unless clocks differ by more than an hour. */
export const toLowestIdFrom = (from: string): string => toLowestId(Math.floor(Date.parse(from)) - MAX_CLOCK_SKEW_MS);

/** Every record before this time has a lower ID, unless clocks differ by more than an hour. */
export const toLowestIdAfter = (to: string): string => toLowestId(Math.ceil(Date.parse(to)) + MAX_CLOCK_SKEW_MS);
