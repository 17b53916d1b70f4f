/** What is to be done with an `authorized_keys` file so that one key takes the place of another. Pure, on bytes. */

/** A public key as such a file names it. */
export interface LineKey {
  /** `ssh-ed25519` and the like. */
  type: string;
  /** Base64. */
  blob: string;
}

interface KeyLine {
  /** From 1. */
  number: number;
  /** What stands before the key, as it is: `from="10.0.0.0/8",no-pty`. One byte a character. */
  options: string;
}

const BLANK = /^[ \t]+/;
const KEY = /^([a-z0-9@.-]+)[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t]|$)/;

/** Of a line `ssh-ed25519 AAAA… comment`, as keys are stored. */
export function lineKeyOf(publicKey: string): LineKey {
  const [type = '', blob = ''] = publicKey.split(' ');
  return { type, blob };
}

/** The lines that name the key, read as sshd reads them. */
export function linesOf(file: Buffer, key: LineKey): KeyLine[] {
  return file
    .toString('latin1')
    .split('\n')
    .flatMap((text, index) => {
      const line = text.replace(/\r$/, '').replace(BLANK, '');
      if (line === '' || line.startsWith('#')) return [];
      if (isOf(line, key)) return [{ number: index + 1, options: '' }];
      const end = endOfOptions(line);
      return isOf(line.slice(end).replace(BLANK, ''), key) ? [{ number: index + 1, options: line.slice(0, end) }] : [];
    });
}

const isOf = (text: string, { type, blob }: LineKey): boolean => {
  const [, named, shown] = KEY.exec(text) ?? [];
  return named === type && shown === blob;
};

/** Options end at the first blank that stands in no quotes; `\"` is no quote. */
function endOfOptions(line: string): number {
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at];
    if (character === '\\' && line[at + 1] === '"') at += 1;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && (character === ' ' || character === '\t')) return at;
  }
  return line.length;
}

/**
 * The lines that are missing for the new key: one for each way in which the old one is let in, so that it comes with no
 * more rights. Bytes to be appended, without a line break at the end; null: nothing is missing.
 */
export function missingLines(file: Buffer, old: LineKey, publicKey: string): Buffer | null {
  const present = new Set(linesOf(file, lineKeyOf(publicKey)).map(({ options }) => options));
  const missing = new Set(linesOf(file, old).map(({ options }) => options));
  for (const options of present) missing.delete(options);
  if (missing.size === 0) return null;
  const line = Buffer.from(publicKey, 'utf8').toString('latin1');
  return Buffer.from([...missing].map((options) => (options ? `${options} ${line}` : line)).join('\n'), 'latin1');
}
