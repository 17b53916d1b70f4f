import { toExactNumber } from '../texts/variable-values.ts';
import { MAX_VALUE_LENGTH } from '../texts/limits.ts';

/** Value of a Python literal; `nested`: a dictionary, or a list with other than plain values. */
export type LiteralValue = string | number | boolean | null | (string | number | boolean)[] | { readonly nested: true };

const PYTHON_CONSTANTS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['True', true],
  ['False', false],
  ['None', null],
]);
const DECIMAL_PATTERN = /^[+-]?(?:0+|[1-9](?:_?\d)*)$/;
const FLOAT_LITERAL_PATTERN = /^[+-]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?$/;
const PREFIXED_INTEGER_PATTERN = /^0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)$/;
const DICTIONARY_PATTERN = /^\{\s*(?:["'}\d-]|True\b|False\b|None\b)/;
const PYTHON_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
]);

/**
 * Reads a value of an INI inventory as Ansible does: a Python literal has its type, anything else is text. Supports
 * numbers, True, False, None, strings, lists, tuples and dictionaries. A Python comment may follow a literal.
 */
export function readPythonLiteral(text: string): LiteralValue {
  // Such a long text can't be imported, whatever its value is.
  if (text.length > 4 * MAX_VALUE_LENGTH) return text;
  const trimmed = text.trim();
  const plain = readPlainLiteral(trimmed);
  if (plain !== undefined) return plain;
  if (trimmed === '' || trimmed.includes('{{') || trimmed.includes('{%')) return text;
  return readWholeLiteral(trimmed) ?? readWholeLiteral(`(${trimmed})`) ?? text;
}

function readWholeLiteral(text: string): LiteralValue | undefined {
  const reader = new LiteralReader(text);
  const value = reader.readValue();
  return reader.isAtEnd() ? value : undefined;
}

function readPlainLiteral(text: string): string | number | boolean | null | undefined {
  const named = PYTHON_CONSTANTS.get(text);
  if (named !== undefined) return named;
  if (DECIMAL_PATTERN.test(text) || FLOAT_LITERAL_PATTERN.test(text)) return toExactNumber(text.replaceAll('_', ''));
  return PREFIXED_INTEGER_PATTERN.test(text) ? toExactNumber(String(BigInt(text))) : undefined;
}

/** Reads flat lists; skips nested ones. */
class LiteralReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readValue(): LiteralValue | undefined {
    const open = this.#text.charAt(this.#at);
    if (open === '"' || open === "'") return this.#readQuoted(open);
    if (open === '[' || open === '(') return this.#readList(open === '[' ? ']' : ')');
    if (open === '{') return DICTIONARY_PATTERN.test(this.#text) && this.#skipBrackets() ? { nested: true } : undefined;
    const word = /[^\s,[\](){}'"#:]+/y;
    word.lastIndex = this.#at;
    const found = word.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    this.#at += found.length;
    return readPlainLiteral(found);
  }

  isAtEnd(): boolean {
    this.#skipBlanks();
    return this.#at >= this.#text.length || this.#text.charAt(this.#at) === '#';
  }

  #skipBlanks(): void {
    while (/\s/.test(this.#text.charAt(this.#at))) this.#at += 1;
  }

  #readQuoted(quote: string): string | undefined {
    let value = '';
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const character = this.#text.charAt(this.#at);
      if (character === quote) {
        this.#at += 1;
        return value;
      }
      if (character !== '\\') value += character;
      else {
        this.#at += 1;
        const next = this.#text.charAt(this.#at);
        value += PYTHON_ESCAPES.get(next) ?? `\\${next}`;
      }
    }
    return undefined;
  }

  #readList(close: string): LiteralValue | undefined {
    const start = this.#at;
    const items: (string | number | boolean)[] = [];
    this.#at += 1;
    for (let commaCount = 0; ; commaCount += 1) {
      this.#skipBlanks();
      if (this.#text.charAt(this.#at) === close) {
        this.#at += 1;
        // In Python, `('a')` is a string in parentheses, not a tuple.
        const [only] = items;
        return close === ')' && items.length === 1 && commaCount === 1 && !this.#hadComma(start) ? only : items;
      }
      const open = this.#text.charAt(this.#at);
      const item = '[({'.includes(open) && open !== '' ? { nested: true as const } : this.readValue();
      if (item === undefined) return undefined;
      if (item === null || typeof item === 'object') {
        this.#at = start;
        return this.#skipBrackets() ? { nested: true } : undefined;
      }
      items.push(item);
      this.#skipBlanks();
      if (this.#text.charAt(this.#at) === ',') this.#at += 1;
      else if (this.#text.charAt(this.#at) !== close) return undefined;
    }
  }

  #hadComma(start: number): boolean {
    return this.#text
      .slice(start, this.#at - 1)
      .trimEnd()
      .endsWith(',');
  }

  /** Moves past the matching closing bracket. @returns false if it is missing */
  #skipBrackets(): boolean {
    const open: string[] = [];
    while (this.#at < this.#text.length) {
      const character = this.#text.charAt(this.#at);
      if (character === '"' || character === "'") {
        if (this.#readQuoted(character) === undefined) return false;
        continue;
      }
      if ('[({'.includes(character)) open.push(character === '[' ? ']' : character === '(' ? ')' : '}');
      else if ('])}'.includes(character) && open.pop() !== character) return false;
      this.#at += 1;
      if (open.length === 0) return true;
    }
    return false;
  }
}
