import type { OutputItem } from '../../../api/types';

/** Lines or search hits to load automatically. Afterwards the user must ask for more. */
const AHEAD = { lines: 200_000, hits: 5_000 };
/** Limits loading by characters too, because lines may be long. */
const READ_AHEAD_CHARACTERS = 50_000_000;
const LINES_AFTER_MARKED = 5_000;

/** How much may be loaded before the user must ask for more. */
export interface ReadBudget {
  take(items: readonly OutputItem[]): void;
  extend(): void;
  /** @param target.readToEnd true = no limit; `marked`: no limit until the line with this number is loaded */
  target(target: { readToEnd: boolean; marked: number | undefined }): void;
  isSpent(): boolean;
}

export function createReadBudget(kind: 'lines' | 'hits'): ReadBudget {
  const ahead = AHEAD[kind];
  let [read, characters] = [0, 0];
  let [readLimit, characterLimit] = [ahead, READ_AHEAD_CHARACTERS];
  let readToEnd = false;
  let targetLine: number | undefined;
  let lastVisibleLine = 0;
  return {
    take: (items) => {
      read += items.length;
      for (const { text, line } of items) {
        characters += text.length;
        lastVisibleLine = Math.max(lastVisibleLine, line);
      }
      if (targetLine === undefined || lastVisibleLine < targetLine) return;
      targetLine = undefined;
      readLimit = Math.max(readLimit, read + LINES_AFTER_MARKED);
      characterLimit = Math.max(characterLimit, characters + READ_AHEAD_CHARACTERS);
    },
    extend: () => {
      readLimit = read + ahead;
      characterLimit = characters + READ_AHEAD_CHARACTERS;
    },
    target: (target) => {
      // Search hits are always limited, even at the end of an active run.
      readToEnd = target.readToEnd && kind === 'lines';
      targetLine =
        target.marked !== undefined && target.marked > lastVisibleLine && kind === 'lines' ? target.marked : undefined;
    },
    isSpent: () => !readToEnd && targetLine === undefined && (read >= readLimit || characters >= characterLimit),
  };
}
