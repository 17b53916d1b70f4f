import { distance } from 'fastest-levenshtein';

/** Longer names are not compared, to bound the cost of a request with many long names. */
const MAX_COMPARED = 128;

/** Returns the known name that is nearest, ignoring case; null = none is similar. */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > MAX_COMPARED) return null;
  let bestName: string | null = null;
  let bestDistance = Infinity;
  for (const candidate of known) {
    const nameDistance = distance(name.toLowerCase(), candidate.toLowerCase());
    if (nameDistance < bestDistance && nameDistance <= Math.ceil(candidate.length / 3)) {
      bestName = candidate;
      bestDistance = nameDistance;
    }
  }
  return bestName;
}

/** Returns the sentence after "unknown name": a suggestion, or the list of known names. */
export function suggestName(name: string, known: readonly string[], noun: string): string {
  const nearest = nearestName(name, known);
  if (nearest !== null) return `Did you mean "${nearest}"?`;
  if (known.length === 0) return `There are no ${noun}s here.`;
  const more = known.length > 10 ? ', …' : '';
  return `The ${noun}s are ${known.slice(0, 10).join(', ')}${more}.`;
}
