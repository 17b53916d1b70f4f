import type { OutputItem } from '../../../../api/types';

/** Search hits to load automatically. Afterwards the user must ask for more. */
const READ_AHEAD_HITS = 5_000;
/** Limits loading by characters too, because lines may be long. */
const READ_AHEAD_CHARACTERS = 50_000_000;

/** How much may be loaded before the user must ask for more. */
export interface ReadBudget {
  take(items: readonly OutputItem[]): void;
  extend(): void;
  isSpent(): boolean;
}

export function createReadBudget(): ReadBudget {
  let [read, characters] = [0, 0];
  let [readLimit, characterLimit] = [READ_AHEAD_HITS, READ_AHEAD_CHARACTERS];
  return {
    take: (items) => {
      read += items.length;
      for (const { text } of items) characters += text.length;
    },
    extend: () => {
      readLimit = read + READ_AHEAD_HITS;
      characterLimit = characters + READ_AHEAD_CHARACTERS;
    },
    isSpent: () => read >= readLimit || characters >= characterLimit,
  };
}
