import { isUtf8 } from 'node:buffer';
import { type JSONPath, type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import { toPointerPart, shortenText } from '../../text/shorten.js';
import { isExactNumber } from './exact-number.js';

export type StrictJsonCode =
  | 'invalid_json'
  | 'duplicate_field'
  | 'forbidden_field'
  | 'forbidden_character'
  | 'too_deep'
  | 'too_many_fields'
  | 'too_many_values'
  | 'too_much_white_space'
  | 'number_out_of_range';

/** Fault in a body. `path` is a JSON pointer (RFC 6901; '' = the whole body). `message` says what to do. */
export class StrictJsonError extends Error {
  constructor(
    readonly code: StrictJsonCode,
    readonly path: string,
    message: string,
  ) {
    super(message);
    this.name = 'StrictJsonError';
  }
}

export const MAX_DEPTH = 32;

/**
 * Maximum number of fields of an object. The largest map of any route has 100 entries. Later code takes time quadratic
 * in the number of fields.
 */
export const MAX_FIELDS = 128;
/** Maximum number of objects and lists in a body. A plan of 100 steps and 100 variables with every field has 1200. */
export const MAX_NESTED_VALUES = 4000;
/** Maximum number of values in a body. 100 variables with 200 choices each have 21,000. */
export const MAX_VALUES = 25_000;

/**
 * Maximum number of characters outside JSON strings: white space, punctuation, numbers, field names. A body can be longer only
 * because of its texts.
 */
export const MAX_CHARACTERS_OUTSIDE_TEXTS = 512 * 1024;

/** Names that every object inherits, so validation by name does not recognise them as unknown fields. */
const INHERITED_PROPERTY_NAMES: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

const SYNTAX_HINTS: Partial<Record<string, string>> = {
  InvalidSymbol: 'This is not a JSON value; strings need double quotes.',
  InvalidNumberFormat: 'This is not a JSON number.',
  PropertyNameExpected: 'Put a field name in double quotes here, or remove the comma before it.',
  ValueExpected: 'Put a value here, or remove the comma before it.',
  ColonExpected: 'Put a colon between the field name and its value.',
  CommaExpected: 'Put a comma between the values.',
  CloseBraceExpected: 'Close the object with "}".',
  CloseBracketExpected: 'Close the array with "]".',
  EndOfFileExpected: 'Remove everything after the first JSON value.',
  InvalidCommentToken: 'Remove the comment; JSON does not allow comments.',
  UnexpectedEndOfString: 'Close the string with a double quote; write line breaks in it as \\n.',
  UnexpectedEndOfNumber: 'Complete the number.',
  InvalidUnicode: 'Write \\u with four hexadecimal digits.',
  InvalidEscapeCharacter: 'Use only the escapes \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX.',
  InvalidCharacter: 'Write control characters in strings as \\u escapes.',
};

/**
 * Parses a JSON body strictly, so that no other parser can interpret it differently. Requires UTF-8 without a byte
 * order mark, and only numbers that keep their value. Rejects comments, trailing commas, duplicate fields and inherited
 * field names (`__proto__`, `constructor`, …). Also rejects NUL and lone surrogates, which PostgreSQL cannot store.
 * Limits: {@link MAX_DEPTH} levels, {@link MAX_FIELDS} fields per object, {@link MAX_NESTED_VALUES} objects and lists, {@link
 * MAX_VALUES} values. Takes linear time and stops at the first fault.
 *
 * @throws StrictJsonError for the first fault in the order of the text
 */
export function parseStrictJson(bytes: Buffer): unknown {
  const text = decodeUtf8(bytes);
  if (text.trim() === '') throw new StrictJsonError('invalid_json', '', 'The body is empty: send a JSON value.');
  if (text.length > MAX_CHARACTERS_OUTSIDE_TEXTS) return parseLongJson(text);
  checkStructure(text);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Safety net: `checkStructure` should already reject everything that JSON.parse rejects.
    throw new StrictJsonError('invalid_json', '', 'The body is not valid JSON.');
  }
}

function decodeUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new StrictJsonError('invalid_json', '', 'Send the body in UTF-8.');
  const text = bytes.toString('utf8');
  if (text.startsWith('\uFEFF')) {
    throw new StrictJsonError('invalid_json', '', 'Remove the byte order mark before the JSON value.');
  }
  return text;
}

/**
 * Like {@link parseStrictJson}, for a body with long texts. The strict parser is a hundred times slower per character
 * than JSON.parse, so it gets the body with emptied texts. Faults inside texts are therefore found last.
 */
function parseLongJson(text: string): unknown {
  const outside = extractTexts(text, MAX_CHARACTERS_OUTSIDE_TEXTS);
  if (outside === null) {
    const message = `Send at most ${MAX_CHARACTERS_OUTSIDE_TEXTS} characters outside JSON strings. Remove white space between values.`;
    throw new StrictJsonError('too_much_white_space', '', message);
  }
  checkStructure(outside.frame, false);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StrictJsonError(
      'invalid_json',
      '',
      'A text of the body is not valid JSON. Check its escapes and its end.',
    );
  }
  if (outside.texts > 0) requireStorable(value, []);
  return value;
}

/** @throws StrictJsonError for the first text that PostgreSQL cannot store */
function requireStorable(value: unknown, path: JSONPath): void {
  if (typeof value === 'string' && !isStorable(value)) throw forbiddenCharacterError(path, 'the text');
  if (value === null || typeof value !== 'object') return;
  for (const [name, part] of Object.entries(value)) requireStorable(part, [...path, name]);
}

/** @param columns whether a position in `text` is also the position in the body */
function checkStructure(text: string, columns = true): void {
  const open: Set<string>[] = [];
  let depth = 0;
  let nested = 0;
  let values = 0;
  // Path of the parser, for errors. The parser passes functions that read its current path, so the latest function fits
  // every error.
  let currentPath: () => JSONPath = () => [];

  const count = (path: () => JSONPath) => {
    values += 1;
    if (values > MAX_VALUES) throw tooManyError(path(), MAX_VALUES, 'values');
  };
  const enter = (path: () => JSONPath) => {
    currentPath = path;
    count(path);
    nested += 1;
    if (nested > MAX_NESTED_VALUES) throw tooManyError(path(), MAX_NESTED_VALUES, 'objects and lists');
    depth += 1;
    if (depth > MAX_DEPTH) {
      throw new StrictJsonError(
        'too_deep',
        toJsonPointer(path()),
        `Nest objects and arrays at most ${MAX_DEPTH} levels deep.`,
      );
    }
  };

  visit(
    text,
    {
      onObjectBegin: (_offset, _length, _line, _column, path) => {
        enter(path);
        open.push(new Set());
      },
      onObjectEnd: () => {
        depth -= 1;
        open.pop();
      },
      onArrayBegin: (_offset, _length, _line, _column, path) => enter(path),
      onArrayEnd: () => {
        depth -= 1;
      },
      onObjectProperty: (name, _offset, _length, _line, _column, path) => {
        if (!isStorable(name)) throw forbiddenCharacterError(path(), 'a field name');
        if (INHERITED_PROPERTY_NAMES.has(name)) {
          throw new StrictJsonError('forbidden_field', toJsonPointer([...path(), name]), `Remove the field "${name}".`);
        }
        const names = open.at(-1);
        if (names?.has(name)) {
          const message = `Send the field "${shortenText(name)}" once; the body contains it twice.`;
          throw new StrictJsonError('duplicate_field', toJsonPointer([...path(), name]), message);
        }
        names?.add(name);
        if (names && names.size > MAX_FIELDS) {
          const message = `Send at most ${MAX_FIELDS} fields in one object.`;
          throw new StrictJsonError('too_many_fields', toJsonPointer(path()), message);
        }
      },
      onLiteralValue: (value: unknown, offset, length, _line, _column, path) => {
        count(path);
        if (typeof value === 'string' && !isStorable(value)) throw forbiddenCharacterError(path(), 'the text');
        if (typeof value === 'number' && !isExactNumber(text.slice(offset, offset + length), value)) {
          throw new StrictJsonError(
            'number_out_of_range',
            toJsonPointer(path()),
            `Use whole numbers up to ${Number.MAX_SAFE_INTEGER} and fractions of at most 15 digits. This number would lose precision.`,
          );
        }
      },
      onError: (error, _offset, _length, line, column) => {
        throw new StrictJsonError(
          'invalid_json',
          toJsonPointer(currentPath()),
          toSyntaxMessage(error, line, columns ? column : null),
        );
      },
    },
    { disallowComments: true },
  );
}

function tooManyError(path: JSONPath, maxCount: number, what: string): StrictJsonError {
  return new StrictJsonError('too_many_values', toJsonPointer(path), `Send at most ${maxCount} ${what} in one body.`);
}

function toSyntaxMessage(error: ParseErrorCode, line: number, column: number | null): string {
  const hint = SYNTAX_HINTS[printParseErrorCode(error)] ?? 'The body is not valid JSON.';
  return `Line ${line + 1}${column === null ? '' : `, column ${column + 1}`}: ${hint}`;
}

/**
 * The path ends at the field, or at the enclosing object for a field name. So no error quotes a forbidden character.
 */
function forbiddenCharacterError(path: JSONPath, where: string): StrictJsonError {
  const message = `Remove NUL characters (\\u0000) and unpaired surrogates (\\ud800 to \\udfff) from ${where}.`;
  return new StrictJsonError('forbidden_character', toJsonPointer(path), message);
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}

function toJsonPointer(path: JSONPath): string {
  return path.map((segment) => `/${toPointerPart(String(segment))}`).join('');
}

export interface JsonFrame {
  frame: string;
  texts: number;
}

const NAME_END_PATTERN = /[ \t\r\n]*:/y;

/**
 * Empties every text of a JSON text except field names, in linear time. Invalid JSON stays invalid.
 *
 * @returns null if the result has more than `limit` characters
 */
function extractTexts(json: string, limit: number): JsonFrame | null {
  const parts: string[] = [];
  let texts = 0;
  let length = 0;
  let keptLength = 0;
  const keep = (to?: number) => {
    const part = json.slice(keptLength, to);
    length += part.length;
    if (length <= limit) parts.push(part);
    return length <= limit;
  };
  for (let from = 0; ; ) {
    const begin = json.indexOf('"', from);
    if (begin < 0) return keep() ? { frame: parts.join(''), texts } : null;
    from = findEndOfText(json, begin + 1);
    if (from === 0) return keep(begin + 1) ? { frame: parts.join(''), texts } : null;
    NAME_END_PATTERN.lastIndex = from;
    if (NAME_END_PATTERN.test(json)) continue;
    if (!keep(begin + 1)) return null;
    keptLength = from - 1;
    texts += 1;
  }
}

/** Returns the index after the closing quote of the text that starts at `from`; 0 = no closing quote. */
function findEndOfText(json: string, from: number): number {
  for (let quote = json.indexOf('"', from); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let escapes = quote;
    while (escapes > from && json[escapes - 1] === '\\') escapes -= 1;
    if ((quote - escapes) % 2 === 0) return quote + 1;
  }
  return 0;
}
