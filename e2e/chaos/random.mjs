export class Random {
  #state;

  constructor(seed) {
    this.#state = 2166136261;
    for (const letter of seed) this.#state = Math.imul(this.#state ^ letter.charCodeAt(0), 16777619) >>> 0;
  }

  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  wholeNumber(low, high) {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(share) {
    return this.next() < share;
  }

  pick(list) {
    return list[this.wholeNumber(0, list.length - 1)];
  }

  sample(list, count) {
    const left = [...list];
    while (left.length > count) left.splice(this.wholeNumber(0, left.length - 1), 1);
    return left;
  }

  weighted(pairs) {
    let left = this.next() * pairs.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [value, weight] of pairs) {
      left -= weight;
      if (left < 0) return value;
    }
    return pairs.at(-1)[0];
  }
}
