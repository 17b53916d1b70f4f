import { diffArrays } from 'diff';
import { lastState } from '../../../ui/format/last-state';
import type { LogLine } from '../output/log/log-window';

/** Lines of two outputs on the same row; null = the output has no such line. */
export interface LinePair<Line> {
  before: Line | null;
  after: Line | null;
  isSame: boolean;
}

type Comparable = Pick<LogLine, 'text' | 'stream'>;

export const isEqual = (one: Comparable, other: Comparable): boolean =>
  one.stream === other.stream && lastState(one.text) === lastState(other.text);

/** Aligns the lines of two outputs: equal lines are on the same row, changed lines beside each other. */
export function pairLines<Line extends Comparable>(before: readonly Line[], after: readonly Line[]): LinePair<Line>[] {
  const pairs: LinePair<Line>[] = [];
  let [old, current, removed, added] = [0, 0, 0, 0];
  const endChange = () => {
    for (let index = 0; index < Math.max(removed, added); index += 1)
      pairs.push({
        before: index < removed ? (before[old + index] ?? null) : null,
        after: index < added ? (after[current + index] ?? null) : null,
        isSame: false,
      });
    old += removed;
    current += added;
    removed = 0;
    added = 0;
  };
  for (const { value, ...change } of diffArrays([...before], [...after], { comparator: isEqual })) {
    if (change.removed) removed += value.length;
    else if (change.added) added += value.length;
    else {
      endChange();
      for (let index = 0; index < value.length; index += 1)
        pairs.push({ before: before[old + index] ?? null, after: after[current + index] ?? null, isSame: true });
      old += value.length;
      current += value.length;
    }
  }
  endChange();
  return pairs;
}
