export interface LineKey {
  type: string;
  blob: string;
}

interface KeyLine {
  number: number;
  /** Options before the key, unchanged: `from="10.0.0.0/8",no-pty`. One character per byte. */
  options: string;
}

const BLANK = /^[ \t]+/;
const KEY = /^([a-z0-9@.-]+)[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t]|$)/;

/** Parses the stored form of a public key: `ssh-ed25519 AAAA… comment`. */
export function lineKeyOf(publicKey: string): LineKey {
  const [type = '', blob = ''] = publicKey.split(' ');
  return { type, blob };
}

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
  const [, named, keyBlob] = KEY.exec(text) ?? [];
  return named === type && keyBlob === blob;
};

/** Options end at the first blank outside quotes; `\"` does not end a quote. */
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
 * Returns the lines to append for the new key, without a final newline; null: nothing is missing. There is one line per
 * set of options of the old key, so that the new key gets no additional rights.
 */
export function missingLines(file: Buffer, old: LineKey, publicKey: string): Buffer | null {
  const present = new Set(linesOf(file, lineKeyOf(publicKey)).map(({ options }) => options));
  const missing = new Set(linesOf(file, old).map(({ options }) => options));
  for (const options of present) missing.delete(options);
  if (missing.size === 0) return null;
  const line = Buffer.from(publicKey, 'utf8').toString('latin1');
  return Buffer.from([...missing].map((options) => (options ? `${options} ${line}` : line)).join('\n'), 'latin1');
}
