import { NAME_OF, type Place } from './plan-text.js';

const START: Place = { line: 1, column: 1, endLine: 1, endColumn: 1 };

/**
 * Where a fault stands: the value that it is about, or the nearest one around it.
 * @param byName the name is at fault, not what stands behind it
 */
export function placeOf(places: Readonly<Record<string, Place>>, path: string, byName = false): Place {
  const own = byName ? places[NAME_OF + path] : undefined;
  if (own) return own;
  for (let at = path; ; at = at.slice(0, at.lastIndexOf('/'))) {
    const place = places[at];
    // Of what is missing in a map or list, its name tells more than all that it holds.
    if (place && at !== path) return startOf(places[NAME_OF + at] ?? place);
    if (place) return place.endLine > place.line ? startOf(places[NAME_OF + at] ?? place) : place;
    if (at === '') return START;
  }
}

const startOf = (place: Place): Place =>
  place.endLine === place.line ? place : { ...place, endLine: place.line, endColumn: place.column + 1 };
