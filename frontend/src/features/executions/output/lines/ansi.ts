import Anser, { type AnserJsonEntry } from 'anser';
import type { Colour, TextColours } from './ansi-colors';

export interface Span {
  text: string;
  /** CSS classes for bold, italic and similar. */
  className: string;
  colouring: TextColours | null;
}

const ESCAPE_CODE = '\u001b';
/** The only escape sequences that take effect: SGR, for colours and weight. */
// eslint-disable-next-line no-control-regex -- looks for exactly these
const COLOUR = /(\u001b\[[\d;]*m)/;
/** Control, bidirectional and invisible characters. They become visible and never take effect. */
const HIDDEN =
  // eslint-disable-next-line no-control-regex -- looks for exactly these
  /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function visibleCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
}

const escapeHidden = (text: string): string => text.replace(HIDDEN, visibleCharacter);

/** Splits a line into styled spans. Keeps colours; makes every other escape sequence visible. */
export function spansOf(line: string): Span[] {
  if (!line.includes(ESCAPE_CODE))
    return line === '' ? [] : [{ text: escapeHidden(line), className: '', colouring: null }];
  const safe = line
    .split(COLOUR)
    .map((part, index) => (index % 2 === 1 ? part : escapeHidden(part)))
    .join('');
  return Anser.ansiToJson(safe, { json: true, use_classes: true, remove_empty: true }).map((entry) => ({
    text: entry.content,
    className: entry.decorations.filter((name) => SHOWN.has(name)).join(' '),
    colouring: colouringOf(entry),
  }));
}

/** Supported decorations. Text is never hidden and never blinks. */
const SHOWN: ReadonlySet<string> = new Set(['bold', 'italic', 'underline', 'strikethrough']);

function colouringOf({ fg, bg, fg_truecolor, bg_truecolor, decorations }: AnserJsonEntry): TextColours | null {
  const dim = decorations.includes('dim');
  if (!fg && !bg && !dim) return null;
  return {
    foreground: colourOf(fg, fg_truecolor),
    background: colourOf(bg, bg_truecolor),
    dim,
  };
}

/** @param name such as `ansi-red`, `ansi-palette-200`, or `ansi-truecolor` with the colour in `value` */
function colourOf(name: string | null, value: string | null): Colour | null {
  if (!name) return null;
  if (name === 'ansi-truecolor') {
    const [red = 0, green = 0, blue = 0] = (value ?? '').split(',').map((part) => Number(part) & 255);
    return value ? [red, green, blue] : null;
  }
  const plain = name.slice('ansi-'.length);
  return plain.startsWith('palette-') ? Number(plain.slice('palette-'.length)) : plain;
}

/** Splits a text at the matches of a term, ignoring case. Every second piece is a match. */
export function splitAtTerm(text: string, searchTerm: string): string[] {
  if (searchTerm === '') return [text];
  const [lower, needle] = [text.toLowerCase(), searchTerm.toLowerCase()];
  const pieces: string[] = [];
  let from = 0;
  for (let hit = lower.indexOf(needle); hit >= 0; hit = lower.indexOf(needle, from)) {
    pieces.push(text.slice(from, hit), text.slice(hit, hit + needle.length));
    from = hit + needle.length;
  }
  return [...pieces, text.slice(from)];
}
