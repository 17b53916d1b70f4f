import type { OutputItem } from '../../../api/types';

/** Lines or search hits that are loaded automatically; beyond that the user asks for more. */
const AHEAD = { lines: 200_000, hits: 5_000 };
/** Limit in characters, because lines may be long. */
const AHEAD_CHARACTERS = 50_000_000;
/** Lines that are loaded after the linked one. */
const AFTER_MARKED = 5_000;

/** How much may be loaded before the user asks for more. */
export interface ReadBudget {
  take(items: readonly OutputItem[]): void;
  /** Allows the same amount again. */
  extend(): void;
  /** @param target.toEnd no limit; `marked`: no limit until the line with this number was loaded */
  target(target: { toEnd: boolean; marked: number | undefined }): void;
  isSpent(): boolean;
}

export function createReadBudget(kind: 'lines' | 'hits'): ReadBudget {
  const ahead = AHEAD[kind];
  let [read, characters] = [0, 0];
  let [readLimit, characterLimit] = [ahead, AHEAD_CHARACTERS];
  let toEnd = false;
  let sought: number | undefined;
  let furthest = 0;
  return {
    take: (items) => {
      read += items.length;
      for (const { text, line } of items) {
        characters += text.length;
        furthest = Math.max(furthest, line);
      }
      if (sought === undefined || furthest < sought) return;
      sought = undefined;
      readLimit = Math.max(readLimit, read + AFTER_MARKED);
      characterLimit = Math.max(characterLimit, characters + AHEAD_CHARACTERS);
    },
    extend: () => {
      readLimit = read + ahead;
      characterLimit = characters + AHEAD_CHARACTERS;
    },
    target: (target) => {
      // Search hits are always limited, also at the end of an active run.
      toEnd = target.toEnd && kind === 'lines';
      sought = target.marked !== undefined && target.marked > furthest && kind === 'lines' ? target.marked : undefined;
    },
    isSpent: () => !toEnd && sought === undefined && (read >= readLimit || characters >= characterLimit),
  };
}
