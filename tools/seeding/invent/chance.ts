/** Random values that the same seed reproduces. */
export interface Chance {
  /** Integer from 0, less than `below`. */
  below(below: number): number;
  /** Number from `from`, less than `to`. */
  between(from: number, to: number): number;
  happens(share: number): boolean;
  pick<T>(values: readonly T[]): T;
  /** Random value. Its weight determines the probability. */
  pickWeighted<T extends { weight: number }>(values: readonly T[]): T;
}

/** Uses mulberry32, which is not suitable for cryptography. */
export function createChance(start: number): Chance {
  let state = start >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixedState = Math.imul(state ^ (state >>> 15), state | 1);
    mixedState ^= mixedState + Math.imul(mixedState ^ (mixedState >>> 7), mixedState | 61);
    return ((mixedState ^ (mixedState >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    between: (from, to) => from + next() * (to - from),
    happens: (share) => next() < share,
    pick: <T>(values: readonly T[]) => values[below(values.length)] as T,
    pickWeighted<T extends { weight: number }>(values: readonly T[]) {
      let left = next() * values.reduce((sum, { weight }) => sum + weight, 0);
      return values.find(({ weight }) => (left -= weight) < 0) ?? (values.at(-1) as T);
    },
  };
}
