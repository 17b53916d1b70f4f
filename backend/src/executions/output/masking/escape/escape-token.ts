/**
 * Meaning of escaped text: alternative decodings for different languages; `more` = the text may continue; null = not an
 * escape.
 */
export type DecodedEscape = readonly Buffer[] | 'more' | null;

const CHARACTER_BY_ENTITY: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};
const CHARACTER_BY_LETTER: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  E: '\x1b',
};
const DIGITS_BY_LETTER: Readonly<Record<string, number>> = { u: 4, U: 8 };

const MAX_SEQUENCE_BYTES = 64;

export const IS_ESCAPE_START = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(`\\%&'"+`.includes(String.fromCharCode(byte))),
);

/** 1 for each control character except tab and line feed. Terminal sequences begin with one. */
export const IS_HIDDEN_START = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number((byte < 0x20 && byte !== 0x09 && byte !== 0x0a) || byte === 0x7f),
);

/**
 * Decodes `text` as one escape of a common encoder or shell:
 * - URLs: `%2F` and `+`
 * - JSON and program text, such as Python's `repr`: `\n`, `\u00e9`, `\x2f` and `\/`
 * - bash's `printf %q` and traces: `\ ` and `\303`
 * - within single quotes: `'\''` and `'"'"'`; doubled quotes
 * - HTML: `&amp;` and `&#39;`
 *
 * Control characters and terminal sequences decode to no byte. `text` has one character per byte. The caller has
 * decoded `text` without its last character as `more`.
 */
export function decodeEscape(text: string): DecodedEscape {
  switch (text[0]) {
    case '+':
      return toSingleByte(0x20);
    case '%':
      return decodeHexDigits(text, 1, 2, (value) => toSingleByte(value));
    case '\\':
      return text.length === 2
        ? (DECODED_AFTER_BACKSLASH[text.charCodeAt(1)] as DecodedEscape)
        : decodeAfterBackslash(text);
    case '&':
      return decodeEntity(text);
    case '"':
      return text.length === 1 ? 'more' : text === '""' ? [Buffer.from('"')] : null;
    case "'":
      return decodeQuote(text);
    case '\x1b':
      return decodeControlSequence(text);
    default:
      return IS_HIDDEN_START[text.charCodeAt(0)] === 1 ? NO_DECODED_BYTES : null;
  }
}

/** Such as `ESC [ 1;31 m`, `ESC ] 0;title BEL`, `ESC ] 0;title ESC \\`, `ESC ( B`. Only the last character is new. */
function decodeControlSequence(text: string): DecodedEscape {
  if (text.length > MAX_SEQUENCE_BYTES) return null;
  if (text.length === 1 || text === '\x1b[') return 'more';
  if (/^.[\]PX^_]/.test(text)) return text.endsWith('\x07') || text.endsWith('\x1b\\') ? NO_DECODED_BYTES : 'more';
  const [middle, end] = text[1] === '[' ? [/[ -?]$/, /[@-~]$/] : [/[ -/]$/, /[0-~]$/];
  if (end.test(text)) return NO_DECODED_BYTES;
  return middle.test(text) ? 'more' : null;
}

function decodeAfterBackslash(text: string): DecodedEscape {
  const kind = text[1];
  if (kind === undefined) return 'more';
  const letter = CHARACTER_BY_LETTER[kind];
  if (letter !== undefined) return [Buffer.from(letter)];
  if (kind === 'x')
    return decodeHexDigits(text, 2, 2, (value) =>
      value < 0x80 ? toSingleByte(value) : [...toSingleByte(value), toUtf8(value)],
    );
  if (DIGITS_BY_LETTER[kind] !== undefined) return decodeNumber(text, DIGITS_BY_LETTER[kind]);
  if (/[0-3]/.test(kind)) {
    if (!/^[0-7]*$/.test(text.slice(1))) return null;
    return text.length < 4 ? 'more' : toSingleByte(Number.parseInt(text.slice(1), 8));
  }
  return /[A-Za-z0-9]/.test(kind) ? null : toSingleByte(kind.charCodeAt(0));
}

function decodeNumber(text: string, width: number): DecodedEscape {
  if (text[2] === '{') {
    const digits = /^[0-9a-fA-F]{0,6}(\})?$/.exec(text.slice(3));
    if (!digits) return null;
    return digits[1] ? decodeCodePoint(Number.parseInt(text.slice(3, -1), 16)) : 'more';
  }
  const end = 2 + width;
  const first = decodeHexDigits(text, 2, width, decodeCodePoint);
  if (width === 8) return first;
  const value = Number.parseInt(text.slice(2, end), 16);
  if (!(value >= 0xd800 && value < 0xdc00)) return first;
  if (!'\\u'.startsWith(text.slice(end, end + 2))) return null;
  return decodeHexDigits(text.slice(end), 2, 4, (low) =>
    low >= 0xdc00 && low < 0xe000 ? [toUtf8(0x10000 + ((value - 0xd800) << 10) + (low - 0xdc00))] : null,
  );
}

function decodeEntity(text: string): DecodedEscape {
  if (text.length > 10) return null;
  if (!text.endsWith(';')) return /^&(#?|#[0-9]+|#[xX][0-9a-fA-F]*|[a-z]+)$/.test(text) ? 'more' : null;
  const name = text.slice(1, -1);
  if (name.startsWith('#x') || name.startsWith('#X')) return decodeCodePoint(Number.parseInt(name.slice(2), 16));
  if (name.startsWith('#')) return decodeCodePoint(Number.parseInt(name.slice(1), 10));
  const char = CHARACTER_BY_ENTITY[name];
  return char === undefined ? null : [Buffer.from(char)];
}

function decodeQuote(text: string): DecodedEscape {
  if (text === "''" || text === `'\\''` || text === `'"'"'`) return [Buffer.from("'")];
  return `'\\''`.startsWith(text) || `'"'"'`.startsWith(text) ? 'more' : null;
}

function decodeHexDigits(
  text: string,
  from: number,
  count: number,
  decode: (value: number) => DecodedEscape,
): DecodedEscape {
  if (text.length <= from) return 'more';
  // Earlier characters were checked by earlier calls.
  if (!/[0-9a-fA-F]/.test(text.charAt(text.length - 1))) return null;
  return text.length < from + count ? 'more' : decode(Number.parseInt(text.slice(from), 16));
}

const NO_DECODED_BYTES: readonly Buffer[] = [Buffer.alloc(0)];
const SINGLE_BYTE_BUFFERS: readonly Buffer[][] = Array.from({ length: 256 }, (_, value) => [Buffer.of(value)]);
const toSingleByte = (value: number): Buffer[] => SINGLE_BYTE_BUFFERS[value] as Buffer[];
const toUtf8 = (value: number): Buffer => Buffer.from(String.fromCodePoint(value));

/** Null for an invalid code point or a lone surrogate. */
function decodeCodePoint(value: number): DecodedEscape {
  return value <= 0x10ffff && !(value >= 0xd800 && value < 0xe000) ? [toUtf8(value)] : null;
}

const DECODED_AFTER_BACKSLASH: readonly DecodedEscape[] = Array.from({ length: 256 }, (_, byte) =>
  decodeAfterBackslash(`\\${String.fromCharCode(byte)}`),
);
