import { distance } from 'fastest-levenshtein';

/**
 * Maximum length of a compared name. A request may contain many long names, and each comparison takes time by length.
 */
const MAX_COMPARED_LENGTH = 128;

/** Returns the most similar known name, ignoring case; null = none is similar. */
export function findNearestName(name: string, known: readonly string[]): string | null {
  if (name.length > MAX_COMPARED_LENGTH) return null;
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

/** Returns the sentence that follows a message about an unknown name: a suggestion, or the known names. */
export function suggestName(name: string, known: readonly string[], noun: string): string {
  const nearest = findNearestName(name, known);
  if (nearest !== null) return `Did you mean "${nearest}"?`;
  if (known.length === 0) return `There are no ${noun}s here.`;
  const more = known.length > 10 ? ', …' : '';
  return `The ${noun}s are ${known.slice(0, 10).join(', ')}${more}.`;
}
