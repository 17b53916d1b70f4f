/** Random values that are the same in each run, so that failures can be repeated. */
export interface SeededRandom {
  /** Integer from 0, less than `below`. */
  int(below: number): number;
  pick<T>(values: readonly T[]): T;
  bytes(length: number): Buffer;
  text(length: number, alphabet: readonly string[]): string;
  /** Splits `bytes` at random positions into non-empty pieces, in order. */
  split(bytes: Buffer): Buffer[];
}

/** Uses mulberry32 with 32 bits of state. Not suitable for cryptography. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  const pick = <T>(values: readonly T[]) => values[int(values.length)] as T;
  return {
    int,
    pick,
    bytes: (length) => Buffer.from(Array.from({ length }, () => int(256))),
    text: (length, alphabet) => Array.from({ length }, () => pick(alphabet)).join(''),
    split: (bytes) => {
      const pieces: Buffer[] = [];
      const largest = 1 + int(Math.max(1, bytes.length));
      for (let from = 0; from < bytes.length; ) {
        const to = Math.min(bytes.length, from + 1 + int(largest));
        pieces.push(bytes.subarray(from, to));
        from = to;
      }
      return pieces;
    },
  };
}
