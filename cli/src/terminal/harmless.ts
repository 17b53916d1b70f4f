/**
 * Text of hosts and of other people on a terminal: colours at the most. Everything else that a terminal would obey
 * (moving the cursor, its title, its clipboard, answers typed back) is shown as what it is, and so are characters that
 * nobody sees or that turn the direction of writing.
 */

// Colours and weights: `ESC [ 1;31 m`.
const COLOUR = String.raw`\x1b\[[0-9;:]{0,40}m`;
const ODD = String.raw`[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]`;
const COLOUR_OR_ODD = new RegExp(`${COLOUR}|${ODD}`, 'g');
const RESET = '\x1b[0m';

/** Of one line, a tabulator may stay. @param colours whether colours are kept; else they are left out */
export function harmless(line: string, colours: boolean): string {
  let coloured = false;
  const text = line.replace(COLOUR_OR_ODD, (found) => {
    if (found.length === 1) return shown(found);
    coloured = true;
    return colours ? found : '';
  });
  return coloured && colours ? text + RESET : text;
}

/** The same of a text of several lines. */
export const harmlessLines = (text: string, colours: boolean): string =>
  text
    .split('\n')
    .map((line) => harmless(line.replace(/\r$/, ''), colours))
    .join('\n');

function shown(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '␡';
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** JSON whose text holds nothing that a terminal obeys: beyond what JSON itself escapes. */
export const harmlessJson = (value: unknown, space?: number): string =>
  JSON.stringify(value, null, space).replace(
    /[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
