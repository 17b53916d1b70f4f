import { findNearestName } from '../text/nearest-name.js';

export const MAX_ZONE_LENGTH = 64;
/** Names of time zones. Offsets such as `+01:00` are not accepted: they have no daylight saving time. */
const ZONE_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,3}$/;
const ZONE_EXAMPLES_ADVICE = 'Use a name such as Europe/Berlin, America/New_York or UTC.';

const listTimeZones = (): string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')];

/** Returns why the value is not a time zone, with the nearest name; null = valid. */
export function findTimeZoneFault(value: unknown): string | null {
  if (typeof value !== 'string') return `timeZone must be a text. ${ZONE_EXAMPLES_ADVICE}`;
  if (value.length > MAX_ZONE_LENGTH)
    return `timeZone may have at most ${MAX_ZONE_LENGTH} characters. ${ZONE_EXAMPLES_ADVICE}`;
  if (isTimeZone(value)) return null;
  const nearest = findNearestZone(value);
  return `timeZone is not the name of a time zone. ${nearest === null ? ZONE_EXAMPLES_ADVICE : `Did you mean ${nearest}?`}`;
}

export function isTimeZone(name: string): boolean {
  if (!ZONE_NAME_PATTERN.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The most common mistakes are a city without its region, and spaces instead of underscores. */
function findNearestZone(name: string): string | null {
  const normalizedName = name.trim().replaceAll(' ', '_');
  const city = normalizedName.toLowerCase();
  const known = listTimeZones();
  const zoneOfCity = known.find((zone) => zone.toLowerCase() === city || zone.toLowerCase().endsWith(`/${city}`));
  if (zoneOfCity !== undefined) return zoneOfCity;
  const nearestZoneName = findNearestName(normalizedName, known);
  if (nearestZoneName !== null || normalizedName.includes('/')) return nearestZoneName;
  const cities = new Map(known.map((zone) => [zone.slice(zone.lastIndexOf('/') + 1), zone]));
  const nearest = findNearestName(normalizedName, [...cities.keys()]);
  return nearest === null ? null : (cities.get(nearest) ?? null);
}
