import Anser from 'anser';

/** A run of text in one look. */
export interface Span {
  text: string;
  className: string;
  color?: string;
  background?: string;
}

const ESCAPE = '\u001b';
/** The only sequences that may have an effect: colours and weight. */
// eslint-disable-next-line no-control-regex -- looks for exactly these
const COLOUR = /(\u001b\[[\d;]*m)/;
/** Control characters, and those that turn the direction of reading or can't be seen: shown as signs, never obeyed. */
// eslint-disable-next-line no-control-regex -- looks for exactly these
const HIDDEN = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function sign(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
}

const showHidden = (text: string): string => text.replace(HIDDEN, sign);

/** The spans of a line. Colours are kept; whatever else a terminal would obey is made visible. */
export function spansOf(line: string): Span[] {
  if (!line.includes(ESCAPE)) return line === '' ? [] : [{ text: showHidden(line), className: '' }];
  const safe = line
    .split(COLOUR)
    .map((part, index) => (index % 2 === 1 ? part : showHidden(part)))
    .join('');
  return Anser.ansiToJson(safe, { json: true, use_classes: true, remove_empty: true }).map((entry) => ({
    text: entry.content,
    className: [entry.fg, ...entry.decorations]
      .filter((name) => name && name !== 'hidden' && name !== 'blink' && !isFree(name))
      .join(' '),
    color: colourOf(entry.fg, entry.fg_truecolor),
    background: entry.bg ? (colourOf(entry.bg, entry.bg_truecolor) ?? `var(--${entry.bg})`) : undefined,
  }));
}

const isFree = (name: string) => name === 'ansi-truecolor' || name.startsWith('ansi-palette-');

/** A colour beyond the sixteen that the theme knows. */
function colourOf(name: string | null, rgb: string | null): string | undefined {
  if (!name || !isFree(name)) return undefined;
  if (name === 'ansi-truecolor') return rgb ? `rgb(${rgb})` : undefined;
  return paletteColour(Number(name.slice('ansi-palette-'.length)));
}

/** Colours 16 to 255 of the xterm palette: a cube of 6 × 6 × 6, then greys. */
function paletteColour(index: number): string {
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return `rgb(${grey}, ${grey}, ${grey})`;
  }
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const cube = index - 16;
  return `rgb(${level(Math.floor(cube / 36))}, ${level(Math.floor(cube / 6) % 6)}, ${level(cube % 6)})`;
}

/** Cuts a text where a word stands in it, upper and lower case alike; every second piece is a hit. */
export function cutAt(text: string, word: string): string[] {
  if (word === '') return [text];
  const [lower, needle] = [text.toLowerCase(), word.toLowerCase()];
  const pieces: string[] = [];
  let from = 0;
  for (let hit = lower.indexOf(needle); hit >= 0; hit = lower.indexOf(needle, from)) {
    pieces.push(text.slice(from, hit), text.slice(hit, hit + needle.length));
    from = hit + needle.length;
  }
  return [...pieces, text.slice(from)];
}
