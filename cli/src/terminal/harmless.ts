/**
 * Makes text from hosts and other users safe for a terminal. At most colours are kept. Other control sequences (cursor,
 * title, clipboard, terminal reports) become visible escapes. So do characters that are invisible or change the writing
 * direction.
 */

// Colours and weights, such as `ESC [ 1;31 m`.
const COLOUR_SEQUENCE = String.raw`\x1b\[[0-9;:]{0,40}m`;
const UNSAFE_CHARACTER = String.raw`[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]`;
const COLOUR_OR_UNSAFE = new RegExp(`${COLOUR_SEQUENCE}|${UNSAFE_CHARACTER}`, 'g');
const RESET_SEQUENCE = '\x1b[0m';

/**
 * Makes one line safe; keeps tabs.
 * @param colours whether colours are kept
 */
export function toHarmless(line: string, colours: boolean): string {
  let hasColour = false;
  const text = line.replace(COLOUR_OR_UNSAFE, (found) => {
    if (found.length === 1) return escapeCharacter(found);
    hasColour = true;
    return colours ? found : '';
  });
  return hasColour && colours ? text + RESET_SEQUENCE : text;
}

export const toHarmlessLines = (text: string, colours: boolean): string =>
  text
    .split('\n')
    .map((line) => toHarmless(line.replace(/\r$/, ''), colours))
    .join('\n');

function escapeCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '␡';
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Returns JSON in which control and invisible characters are escaped too. */
export const toHarmlessJson = (value: unknown, space?: number): string =>
  JSON.stringify(value, null, space).replace(
    /[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
