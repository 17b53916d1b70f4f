import { PatternList } from './ssh-patterns.ts';

interface MatchCriterion {
  readonly negated: boolean;
  /** Null: the criterion depends on more than the host. */
  readonly of: 'all' | 'host' | 'originalhost' | null;
  readonly patterns: PatternList;
}

const CRITERIA_WITHOUT_VALUE = ['all', 'canonical', 'final'];
const NO_PATTERNS = new PatternList([]);

/** Condition of a `Match` line. Evaluates only criteria that depend on the host alone. */
export class MatchCondition {
  readonly #criteria: MatchCriterion[] = [];
  readonly isRepeated: boolean;
  readonly cost: number;

  constructor(words: readonly string[]) {
    const rest = words.flatMap((word) => {
      const [, name, value] = /^(!?[a-z]+)=(.*)$/i.exec(word) ?? [];
      return name === undefined || value === undefined ? [word] : [name, value];
    });
    const named = new Set<string>();
    for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
      const negated = word.startsWith('!');
      const name = word.slice(negated ? 1 : 0).toLowerCase();
      named.add(name);
      const value = CRITERIA_WITHOUT_VALUE.includes(name) ? null : (rest.shift() ?? null);
      const isOfHost = (name === 'host' || name === 'originalhost') && value !== null;
      const patterns = isOfHost ? new PatternList(value.toLowerCase().split(',')) : NO_PATTERNS;
      this.#criteria.push({ negated, of: isOfHost ? name : name === 'all' ? 'all' : null, patterns });
    }
    this.isRepeated = named.has('final') || named.has('canonical');
    this.cost = this.#criteria.reduce((sum, { patterns }) => sum + patterns.countMatchSteps, 1);
  }

  /**
   * Returns whether the block applies to a host; null: that depends on where, when or as which user ssh runs.
   * @param original host name on the ssh command line
   * @param hostname address that the lines above the block set
   */
  matchesHost(original: string, hostname: string): boolean | null {
    let known: boolean | null = true;
    for (const { negated, of, patterns } of this.#criteria) {
      if (of === null) known = null;
      else {
        const name = of === 'host' ? hostname : original;
        if ((of === 'all' || patterns.matches(name.toLowerCase())) === negated) return false;
      }
    }
    return known;
  }
}
