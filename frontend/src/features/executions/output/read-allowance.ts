import type { OutputItem } from '../../../api/types';

/** What is read without being asked; beyond, a person says that they want more. Nobody reads so many hits. */
const AHEAD = { lines: 200_000, hits: 5_000 };
/** Lines may be long: most characters read without being asked. */
const AHEAD_CHARACTERS = 50_000_000;
/** Lines that are read after the one that a link names. */
const AFTER_MARKED = 5_000;

/** How much may be read before somebody asks for more. */
export interface Allowance {
  take(items: readonly OutputItem[]): void;
  /** As much again. */
  extend(): void;
  /** @param aim.toEnd reads on without end; `marked`: reads on until the line of this number has come */
  aim(aim: { toEnd: boolean; marked: number | undefined }): void;
  isSpent(): boolean;
}

export function allowanceFor(kind: 'lines' | 'hits'): Allowance {
  const ahead = AHEAD[kind];
  let [read, characters] = [0, 0];
  let [mostRead, mostCharacters] = [ahead, AHEAD_CHARACTERS];
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
      mostRead = Math.max(mostRead, read + AFTER_MARKED);
      mostCharacters = Math.max(mostCharacters, characters + AHEAD_CHARACTERS);
    },
    extend: () => {
      mostRead = read + ahead;
      mostCharacters = characters + AHEAD_CHARACTERS;
    },
    aim: (aim) => {
      // Hits are searched for to be read; a search that finds everything stops all the same.
      toEnd = aim.toEnd && kind === 'lines';
      sought = aim.marked !== undefined && aim.marked > furthest && kind === 'lines' ? aim.marked : undefined;
    },
    isSpent: () => !toEnd && sought === undefined && (read >= mostRead || characters >= mostCharacters),
  };
}
