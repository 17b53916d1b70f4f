/** Which revisions are chosen to be compared: none, one, or two, the earlier one first. */
export type Chosen = readonly number[];

/** What the address says of it. */
export interface ComparedSearch {
  earlier?: number;
  later?: number;
}

export function chosenOf({ earlier, later }: ComparedSearch): Chosen {
  const numbers = [...new Set([earlier, later])].filter(
    (number): number is number => number !== undefined && number > 0,
  );
  return numbers.sort((one, other) => one - other);
}

/** One that stands alone is the later one. */
export const searchOf = (chosen: Chosen): ComparedSearch => ({
  earlier: chosen.length > 1 ? chosen[0] : undefined,
  later: chosen.at(-1),
});

/** Chooses a revision, or takes the choice back. A third one takes the place of the end that it lies beyond, or else of the later one. */
export function toggled(chosen: Chosen, number: number): Chosen {
  if (chosen.includes(number)) return chosen.filter((each) => each !== number);
  const [earlier, later] = chosen;
  if (earlier === undefined || later === undefined) return chosenOf({ earlier, later: number });
  return number < earlier ? [number, later] : [earlier, number];
}
