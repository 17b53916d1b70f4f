/** Numbers of the revisions to compare: none, one, or two with the earlier one first. */
export type ChosenRevisions = readonly number[];

export interface ComparedSearch {
  earlier?: number;
  later?: number;
}

export function chosenRevisions({ earlier, later }: ComparedSearch): ChosenRevisions {
  const numbers = [...new Set([earlier, later])].filter(
    (number): number is number => number !== undefined && number > 0,
  );
  return numbers.sort((one, other) => one - other);
}

/** A single selected revision counts as the later one. */
export const searchOf = (chosen: ChosenRevisions): ComparedSearch => ({
  earlier: chosen.length > 1 ? chosen[0] : undefined,
  later: chosen.at(-1),
});

/**
 * Selects a revision, or clears it. A third revision outside the range replaces the nearer end; inside the range, it
 * replaces the later one.
 */
export function toggled(chosen: ChosenRevisions, number: number): ChosenRevisions {
  if (chosen.includes(number)) return chosen.filter((each) => each !== number);
  const [earlier, later] = chosen;
  if (earlier === undefined || later === undefined) return chosenRevisions({ earlier, later: number });
  return number < earlier ? [number, later] : [earlier, number];
}
