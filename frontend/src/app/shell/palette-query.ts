import type { SearchQuery } from '../../api/queries/search';

interface NamedEnvironment {
  id: string;
  name: string;
}

export interface PaletteQuery extends SearchQuery {
  /** Whether the text begins with `run`: starts of plans come first. */
  runs: boolean;
}

/** Shortest text that is searched for on the server. */
const MIN_LENGTH = 2;

/**
 * Parses text such as `run deploy shop in staging`.
 * @returns null if the text is too short to search for records
 */
export function parsePaletteText(text: string, environments: readonly NamedEnvironment[]): PaletteQuery | null {
  const [, verb, rest = ''] = /^(run\s+|start\s+)?(.*)$/is.exec(text.trim()) ?? [];
  const place = /^(.*\S)\s+in\s+(\S.*)$/is.exec(rest);
  const environment = place && findByName(environments, place[2] ?? '');
  const q = environment ? (place[1] ?? '') : rest;
  if (q.length < MIN_LENGTH) return null;
  return { q, environmentId: environment?.id, runs: verb !== undefined };
}

/** Returns the environment with this name, otherwise the only one whose name begins with it. */
function findByName(environments: readonly NamedEnvironment[], text: string): NamedEnvironment | undefined {
  const word = text.toLowerCase();
  const beginning = environments.filter(({ name }) => name.toLowerCase().startsWith(word));
  return (
    beginning.find(({ name }) => name.toLowerCase() === word) ?? (beginning.length === 1 ? beginning[0] : undefined)
  );
}

/** Returns whether each word of the text begins a word of the item. */
export function matchesWords(text: string, item: string): boolean {
  const words = item.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((part) => words.some((word) => word.startsWith(part)));
}
