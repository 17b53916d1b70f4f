import type { RunComparison } from '../../../api/types';
import { plural } from '../../../ui/format/format';

type Counted = Pick<RunComparison, 'differences' | 'differenceCounts' | 'moreDifferences' | 'steps'>;
type Kind = RunComparison['differences'][number]['kind'];

const CHANGES = { changed: 'changed', added: 'added', removed: 'removed' } as const;
/** The order in a sentence: what runs, with which values, where. */
const KINDS: readonly Kind[] = ['step', 'script', 'template', 'setting', 'variable', 'secret', 'host'];
/** Steps that are named. More are counted. */
const MAX_NAMES = 2;

/** Returns the differences of two runs in words, such as `Migrate changed` and `2 hosts added`. */
export function differenceTexts(comparison: Counted): string[] {
  const { differences, differenceCounts, steps } = comparison;
  const names = new Map(steps.map(({ key, name }) => [key, name || key]));
  return KINDS.flatMap((kind) =>
    Object.keys(CHANGES).flatMap((change) => {
      const count = differenceCounts.find((each) => each.kind === kind && each.change === change)?.count ?? 0;
      if (count === 0) return [];
      const word = CHANGES[change as keyof typeof CHANGES];
      if (kind !== 'step' || count > MAX_NAMES) return [`${plural(count, kind)} ${word}`];
      const named = differences
        .filter((each) => each.kind === kind && each.change === change)
        .map(({ name }) => names.get(name) ?? name);
      return [`${named.join(' and ')} ${word}`];
    }),
  );
}
