import { NAME_OF_PREFIX, type TextPlace } from './plan-text.js';

const START_PLACE: TextPlace = { line: 1, column: 1, endLine: 1, endColumn: 1 };

/**
 * Returns the position of a value, or of the nearest enclosing value in the text.
 * @param byName the fault is about the name rather than the value
 */
export function findPlace(places: Readonly<Record<string, TextPlace>>, path: string, byName = false): TextPlace {
  const own = byName ? places[NAME_OF_PREFIX + path] : undefined;
  if (own) return own;
  for (let at = path; ; at = at.slice(0, at.lastIndexOf('/'))) {
    const place = places[at];
    // Something is missing in this map or list, so the position of its name is more useful than its whole extent.
    if (place && at !== path) return toStartPlace(places[NAME_OF_PREFIX + at] ?? place);
    if (place) return place.endLine > place.line ? toStartPlace(places[NAME_OF_PREFIX + at] ?? place) : place;
    if (at === '') return START_PLACE;
  }
}

const toStartPlace = (place: TextPlace): TextPlace =>
  place.endLine === place.line ? place : { ...place, endLine: place.line, endColumn: place.column + 1 };
