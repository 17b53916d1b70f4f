const SAMPLE_INTERVAL = 4;

/**
 * Reduces a sweep over all routes. Returns all cases when a subject occurs first, and later every fourth in rotation,
 * because the same code handles them. The sweep takes a quarter of the time and still visits each route.
 */
export class CaseSample {
  private readonly met = new Set<string>();
  private turn = 0;

  /** @param what subject that the same code handles in all routes, such as a parameter name */
  of<T>(what: string, cases: readonly T[]): readonly T[] {
    if (!this.met.has(what)) {
      this.met.add(what);
      return cases;
    }
    this.turn += 1;
    return cases.filter((_, index) => index % SAMPLE_INTERVAL === this.turn % SAMPLE_INTERVAL);
  }
}
