import { exactNumber } from '../texts/exact-numbers.ts';
import { MAX_VALUE_LENGTH } from '../texts/limits.ts';

/** Value of a Python literal; `nested`: a dictionary, or a list with other than plain values. */
export type LiteralValue = string | number | boolean | null | (string | number | boolean)[] | { readonly nested: true };

const NAMES: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['True', true],
  ['False', false],
  ['None', null],
]);
const DECIMAL = /^[+-]?(?:0+|[1-9](?:_?\d)*)$/;
const FLOAT_LITERAL = /^[+-]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?$/;
const PREFIXED_INTEGER = /^0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)$/;
const DICTIONARY = /^\{\s*(?:["'}\d-]|True\b|False\b|None\b)/;
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
  const plain = readPlain(trimmed);
  if (plain !== undefined) return plain;
  if (trimmed === '' || trimmed.includes('{{') || trimmed.includes('{%')) return text;
  return readWhole(trimmed) ?? readWhole(`(${trimmed})`) ?? text;
}

function readWhole(text: string): LiteralValue | undefined {
  const reader = new LiteralReader(text);
  const value = reader.value();
  return reader.atEnd() ? value : undefined;
}

function readPlain(text: string): string | number | boolean | null | undefined {
  const named = NAMES.get(text);
  if (named !== undefined) return named;
  if (DECIMAL.test(text) || FLOAT_LITERAL.test(text)) return exactNumber(text.replaceAll('_', ''));
  return PREFIXED_INTEGER.test(text) ? exactNumber(String(BigInt(text))) : undefined;
}

/** Reads flat lists; skips nested ones. */
class LiteralReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): LiteralValue | undefined {
    const open = this.#text.charAt(this.#at);
    if (open === '"' || open === "'") return this.#quoted(open);
    if (open === '[' || open === '(') return this.#list(open === '[' ? ']' : ')');
    if (open === '{') return DICTIONARY.test(this.#text) && this.#skipBrackets() ? { nested: true } : undefined;
    const word = /[^\s,[\](){}'"#:]+/y;
    word.lastIndex = this.#at;
    const found = word.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    this.#at += found.length;
    return readPlain(found);
  }

  atEnd(): boolean {
    this.#skipBlanks();
    return this.#at >= this.#text.length || this.#text.charAt(this.#at) === '#';
  }

  #skipBlanks(): void {
    while (/\s/.test(this.#text.charAt(this.#at))) this.#at += 1;
  }

  #quoted(quote: string): string | undefined {
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

  #list(close: string): LiteralValue | undefined {
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
      const item = '[({'.includes(open) && open !== '' ? { nested: true as const } : this.value();
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
        if (this.#quoted(character) === undefined) return false;
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
