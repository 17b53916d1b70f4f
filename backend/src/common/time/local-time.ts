export interface LocalTime {
  /** Date such as `2026-12-24`. */
  date: string;
  /** Minutes since midnight. */
  minute: number;
  /** 0 = Sunday. */
  weekday: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MAX_KEPT_FORMATS = 1_000;
const formatCache = new Map<string, Intl.DateTimeFormat>();

function getFormat(zone: string): Intl.DateTimeFormat {
  const cachedFormat = formatCache.get(zone);
  if (cachedFormat) return cachedFormat;
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, hourCycle: 'h23' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  if (formatCache.size < MAX_KEPT_FORMATS) formatCache.set(zone, format);
  return format;
}

/** Returns the local time in ms since the epoch, calculated as if the zone were UTC. */
function toLocalMs(zone: string, at: number): number {
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of getFormat(zone).formatToParts(at)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

const computeOffsetMs = (zone: string, at: number): number => toLocalMs(zone, at) - Math.floor(at / 1000) * 1000;

export function toLocalTime(zone: string, at: Date): LocalTime {
  const local = new Date(toLocalMs(zone, at.getTime()));
  return {
    date: toDateText(local.getTime()),
    minute: local.getUTCHours() * 60 + local.getUTCMinutes(),
    weekday: local.getUTCDay(),
  };
}

const toDateText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const addDays = (date: string, days: number): string =>
  toDateText(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS);

/**
 * Returns the instants with this local time. There are two when clocks are set back. If clocks skip this time, returns
 * the moment of the change.
 * @param minute minutes since midnight; 1440 = midnight of the next day
 */
export function toInstants(zone: string, date: string, minute: number): Date[] {
  const local = Date.parse(`${date}T00:00:00Z`) + minute * MINUTE_MS;
  const offsets = new Set([computeOffsetMs(zone, local - DAY_MS), computeOffsetMs(zone, local + DAY_MS)]);
  const matches = [...offsets].map((offset) => local - offset).filter((at) => toLocalMs(zone, at) === local);
  if (matches.length > 0) return matches.sort((one, other) => one - other).map((at) => new Date(at));
  // The moment at which clocks are set forward lies between `before` and `after`.
  let [before, after] = [local - Math.max(...offsets), local - Math.min(...offsets)];
  while (after - before > MINUTE_MS) {
    const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS;
    if (toLocalMs(zone, middle) < local) before = middle;
    else after = middle;
  }
  return [new Date(after)];
}
