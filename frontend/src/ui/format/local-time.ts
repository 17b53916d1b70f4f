const MINUTE_MS = 60_000;

/** Formats an ISO 8601 time for a `datetime-local` input, in the browser's time zone. */
export function toLocalTime(iso: string | undefined): string {
  if (iso === undefined) return '';
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

/** Converts the value of a `datetime-local` input to ISO 8601 in UTC; undefined = incomplete. */
export function toInstant(local: string): string | undefined {
  const time = local === '' ? Number.NaN : Date.parse(local);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
