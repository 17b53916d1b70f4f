export interface AuthorizedKey {
  type: string;
  blob: string;
}

interface AuthorizedKeyLine {
  number: number;
  /** Options before the key, unchanged: `from="10.0.0.0/8",no-pty`. One character per byte. */
  options: string;
}

const LEADING_BLANKS_PATTERN = /^[ \t]+/;
const PUBLIC_KEY_PATTERN = /^([a-z0-9@.-]+)[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t]|$)/;

/** Parses the stored form of a public key: `ssh-ed25519 AAAA… comment`. */
export function parseAuthorizedKey(publicKey: string): AuthorizedKey {
  const [type = '', blob = ''] = publicKey.split(' ');
  return { type, blob };
}

export function findKeyLines(file: Buffer, key: AuthorizedKey): AuthorizedKeyLine[] {
  return file
    .toString('latin1')
    .split('\n')
    .flatMap((text, index) => {
      const line = text.replace(/\r$/, '').replace(LEADING_BLANKS_PATTERN, '');
      if (line === '' || line.startsWith('#')) return [];
      if (startsWithKey(line, key)) return [{ number: index + 1, options: '' }];
      const end = findEndOfOptions(line);
      return startsWithKey(line.slice(end).replace(LEADING_BLANKS_PATTERN, ''), key)
        ? [{ number: index + 1, options: line.slice(0, end) }]
        : [];
    });
}

const startsWithKey = (text: string, { type, blob }: AuthorizedKey): boolean => {
  const [, named, keyBlob] = PUBLIC_KEY_PATTERN.exec(text) ?? [];
  return named === type && keyBlob === blob;
};

/** Options end at the first blank outside quotes; `\"` does not end a quote. */
function findEndOfOptions(line: string): number {
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
export function createMissingLines(file: Buffer, old: AuthorizedKey, publicKey: string): Buffer | null {
  const present = new Set(findKeyLines(file, parseAuthorizedKey(publicKey)).map(({ options }) => options));
  const missing = new Set(findKeyLines(file, old).map(({ options }) => options));
  for (const options of present) missing.delete(options);
  if (missing.size === 0) return null;
  const line = Buffer.from(publicKey, 'utf8').toString('latin1');
  return Buffer.from([...missing].map((options) => (options ? `${options} ${line}` : line)).join('\n'), 'latin1');
}
