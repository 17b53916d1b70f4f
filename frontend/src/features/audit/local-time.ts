const MINUTE_MS = 60_000;

/** An ISO 8601 time as a `datetime-local` input wants it, in the browser's zone; empty when there is none. */
export function localOf(iso: string | undefined): string {
  if (iso === undefined) return '';
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

/** What such an input holds, as an ISO 8601 time in UTC; undefined while it is not whole. */
export function instantOf(local: string): string | undefined {
  const time = local === '' ? Number.NaN : Date.parse(local);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
