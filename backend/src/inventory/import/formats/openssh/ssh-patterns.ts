/** Matches a name against a pattern of ssh_config(5): `*` matches any text and `?` one character. */
export function matchesPattern(name: string, pattern: string): boolean {
  let at = 0;
  let patternIndex = 0;
  /** Position of the last `*`, to retry from if the text after it does not match. */
  let star = -1;
  let starIndex = 0;
  while (at < name.length) {
    const expected = pattern.charAt(patternIndex);
    if (expected === '*') {
      star = patternIndex;
      starIndex = at;
      patternIndex += 1;
    } else if (patternIndex < pattern.length && (expected === '?' || expected === name.charAt(at))) {
      at += 1;
      patternIndex += 1;
    } else if (star >= 0) {
      starIndex += 1;
      at = starIndex;
      patternIndex = star + 1;
    } else return false;
  }
  while (pattern.charAt(patternIndex) === '*') patternIndex += 1;
  return patternIndex >= pattern.length;
}

export class PatternList {
  readonly names: ReadonlySet<string>;
  readonly #wildcards: readonly string[];
  readonly #excluded: readonly string[];

  constructor(words: readonly string[]) {
    this.#excluded = words.filter((word) => word.startsWith('!')).map((word) => word.slice(1));
    const positivePatterns = words.filter((word) => !word.startsWith('!'));
    this.#wildcards = positivePatterns.filter((word) => /[*?]/.test(word));
    this.names = new Set(positivePatterns.filter((word) => !/[*?]/.test(word)));
  }

  /** Whether the list has wildcards, so that it can match hosts that it does not name. */
  get isOpen(): boolean {
    return this.#wildcards.length > 0;
  }

  get countMatchSteps(): number {
    return this.#wildcards.length + this.#excluded.length + 1;
  }

  matches(name: string): boolean {
    if (this.#excluded.some((pattern) => matchesPattern(name, pattern))) return false;
    return this.names.has(name) || this.#wildcards.some((pattern) => matchesPattern(name, pattern));
  }
}
