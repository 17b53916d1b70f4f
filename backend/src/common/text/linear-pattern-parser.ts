export class PatternError extends Error {
  override readonly name = 'PatternError';
}

export type PatternNode =
  | { type: 'character'; accepts: (character: string) => boolean }
  | { type: 'assert'; holds: (before: string | undefined, after: string | undefined) => boolean }
  | { type: 'sequence'; parts: PatternNode[] }
  | { type: 'choice'; options: PatternNode[] }
  | { type: 'repeat'; part: PatternNode; min: number; max: number };

export const MAX_PATTERN_LENGTH = 200;
const MAX_REPEAT_COUNT = 1000;

const CHARACTER_CLASS_PATTERN = /\[(?:\\[^]|[^\]\\])*\]/uy;
const ESCAPE_PATTERN =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|[^])/uy;
const QUANTIFIER_PATTERN = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/uy;
const GROUP_PATTERN = /\((?:\?:|\?<(?![=!])[^>]*>)?/uy;

const isWordCharacter = (character: string | undefined) => character !== undefined && /^\w$/.test(character);
const isAtWordBoundary = (before: string | undefined, after: string | undefined) =>
  isWordCharacter(before) !== isWordCharacter(after);

/** @throws PatternError */
export function parsePattern(source: string): PatternNode {
  if (source.length > MAX_PATTERN_LENGTH) {
    throw new PatternError(`A pattern has at most ${MAX_PATTERN_LENGTH} characters; this one has ${source.length}.`);
  }
  try {
    // Only validates the syntax. This expression is never matched.
    new RegExp(source, 'u');
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: /s, '') : 'malformed';
    throw new PatternError(`This is not a regular expression (${reason}). Example: v\\d+\\.\\d+`);
  }
  return new PatternReader(source).parseChoice();
}

class PatternReader {
  private position = 0;

  private readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  parseChoice(): PatternNode {
    const options = [this.parseSequence()];
    while (this.takeMark('|')) options.push(this.parseSequence());
    return options.length === 1 ? (options[0] as PatternNode) : { type: 'choice', options };
  }

  private parseSequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.position < this.source.length && !'|)'.includes(this.source.charAt(this.position))) {
      parts.push(this.parseRepetition(this.parseAtom()));
    }
    return { type: 'sequence', parts };
  }

  private parseRepetition(part: PatternNode): PatternNode {
    const found = this.takeMatch(QUANTIFIER_PATTERN);
    if (!found) return part;
    const [, mark, count, comma, limit] = found;
    if (mark !== undefined)
      return { type: 'repeat', part, min: mark === '+' ? 1 : 0, max: mark === '?' ? 1 : Infinity };
    const min = Number(count);
    const max = comma === undefined ? min : limit ? Number(limit) : Infinity;
    if (min > MAX_REPEAT_COUNT || (max !== Infinity && max > MAX_REPEAT_COUNT)) {
      throw new PatternError(`A count in {n,m} is at most ${MAX_REPEAT_COUNT}.`);
    }
    return { type: 'repeat', part, min, max };
  }

  private parseAtom(): PatternNode {
    if (this.source.charAt(this.position) === '(') return this.parseGroup();
    const set = this.takeMatch(CHARACTER_CLASS_PATTERN);
    if (set) return parseCharacterMatcher(set[0]);
    const escape = this.takeMatch(ESCAPE_PATTERN);
    if (escape) return this.parseEscape(escape[0]);
    if (this.takeMark('^')) return { type: 'assert', holds: (before) => before === undefined };
    if (this.takeMark('$')) return { type: 'assert', holds: (_, after) => after === undefined };
    if (this.takeMark('.')) return parseCharacterMatcher('.');
    const literal = String.fromCodePoint(this.source.codePointAt(this.position) as number);
    this.position += literal.length;
    return { type: 'character', accepts: (character) => character === literal };
  }

  private parseGroup(): PatternNode {
    const groupStart = this.takeMatch(GROUP_PATTERN)?.[0] ?? '(';
    if (groupStart === '(' && this.source.charAt(this.position) === '?') {
      throw new PatternError(
        'Look-ahead, look-behind and inline flags cannot be used in a pattern. Describe the value itself, such as [a-z]+-\\d+.',
      );
    }
    const groupContent = this.parseChoice();
    this.takeMark(')');
    return groupContent;
  }

  private parseEscape(escape: string): PatternNode {
    if (escape === '\\b') return { type: 'assert', holds: isAtWordBoundary };
    if (escape === '\\B') return { type: 'assert', holds: (before, after) => !isAtWordBoundary(before, after) };
    if (/^\\[1-9k]/.test(escape)) throw new PatternError('Back-references such as \\1 cannot be used in a pattern.');
    return parseCharacterMatcher(escape);
  }

  private takeMark(mark: string): boolean {
    if (!this.source.startsWith(mark, this.position)) return false;
    this.position += mark.length;
    return true;
  }

  private takeMatch(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.position;
    const found = expression.exec(this.source);
    if (found) this.position = expression.lastIndex;
    return found;
  }
}

/** Returns a node for one character. JavaScript's own RegExp decides whether the character matches. */
function parseCharacterMatcher(part: string): PatternNode {
  const expression = new RegExp(`^${part}$`, 'u');
  const known = new Map<string, boolean>();
  return {
    type: 'character',
    accepts: (character) => {
      let answer = known.get(character);
      if (answer === undefined) known.set(character, (answer = expression.test(character)));
      return answer;
    },
  };
}
