const RFC_3339_PATTERN =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,6}))?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/;

/**
 * Whether `text` is an RFC 3339 date-time that PostgreSQL and JavaScript interpret equally: zone up to ±14:59, existing
 * day, years 1 to 9999 in UTC, precision up to microseconds. Leap seconds and hour 24 are invalid.
 */
export function isInstant(text: string): boolean {
  const [, year, month, day] = RFC_3339_PATTERN.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  // Day 0 of the next month is the last day of this month.
  const days = new Date(Date.UTC(2000, Number(month), 0)).setUTCFullYear(Number(year), Number(month), 0);
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > new Date(days).getUTCDate())
    return false;
  const utc = new Date(text).getUTCFullYear();
  return utc >= 1 && utc <= 9999;
}
