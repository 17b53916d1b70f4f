export type KeyDerivation =
  | { readonly kind: 'none' }
  /** `count`: iterations of PBKDF2 or PKCS#12, or rounds of bcrypt. */
  | { readonly kind: 'pbkdf2' | 'bcrypt'; readonly count: number }
  /** `count`: product of N, r and p. */
  | { readonly kind: 'scrypt'; readonly count: number }
  /** Another key derivation, or one whose cost cannot be read. */
  | { readonly kind: 'unknown' }
  /** The file is damaged. */
  | { readonly kind: 'broken' };

/** Far above the defaults of all tools, but well under 3 s for each key on a normal machine. */
const MAX_COST_FACTORS = { pbkdf2: 2_000_000, bcrypt: 128, scrypt: 2 ** 20 };

/** Whether opening the key takes too long. Needed because the file itself sets the number of rounds. */
export const isTooCostly = (derivation: KeyDerivation): boolean =>
  'count' in derivation && derivation.count > MAX_COST_FACTORS[derivation.kind];

const OPENSSH_MAGIC = 'openssh-key-v1\0';

/** @param file decoded content of a PEM block in OpenSSH format */
export function readOpenSshDerivation(file: Buffer): KeyDerivation {
  if (file.toString('latin1', 0, OPENSSH_MAGIC.length) !== OPENSSH_MAGIC) return { kind: 'broken' };
  const fields = new SshFieldReader(file, OPENSSH_MAGIC.length);
  fields.readText(); // cipher
  const name = fields.readText()?.toString('latin1');
  const options = fields.readText();
  if (name === 'none') return { kind: 'none' };
  if (name === undefined || !options) return { kind: 'broken' };
  if (name !== 'bcrypt') return { kind: 'unknown' };
  const inner = new SshFieldReader(options, 0);
  inner.readText(); // salt
  const count = inner.readNumber();
  return count === undefined ? { kind: 'broken' } : { kind: 'bcrypt', count };
}

/** Reads the fields of SSH's wire format in order. Returns undefined from the first truncated field on. */
class SshFieldReader {
  constructor(
    private readonly bytes: Buffer,
    private at: number,
  ) {}

  readNumber(): number | undefined {
    if (this.at + 4 > this.bytes.length) return undefined;
    this.at += 4;
    return this.bytes.readUInt32BE(this.at - 4);
  }

  readText(): Buffer | undefined {
    const length = this.readNumber();
    if (length === undefined || this.at + length > this.bytes.length) {
      this.at = Number.POSITIVE_INFINITY;
      return undefined;
    }
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

/** Object identifiers: hexadecimal digits of their content. */
const PBES2_OID = '2a864886f70d01050d';
const PBKDF2_OID = '2a864886f70d01050c';
const SCRYPT_OID = '2b06010401da47040b';
/** Object identifiers of PKCS#5 version 1 and PKCS#12, which end with the number of the scheme. */
const OLDER_ENCRYPTION_OID_PATTERN = /^(2a864886f70d0105|2a864886f70d010c01)0[1-9ab]$/;
const SEQUENCE_TAG = 0x30;
const INTEGER_TAG = 0x02;
const OCTET_STRING_TAG = 0x04;
const OBJECT_IDENTIFIER_TAG = 0x06;

interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
}

/**
 * @param der PKCS#8 key (RFC 5958, RFC 8018)
 * @returns kind `none` if the key is not encrypted
 */
export function readPkcs8Derivation(der: Buffer): KeyDerivation {
  const [outer] = readElements(der) ?? [];
  const [first] = (outer?.tag === SEQUENCE_TAG && readElements(outer.content)) || [];
  if (!first) return { kind: 'broken' };
  if (first?.tag === INTEGER_TAG) return { kind: 'none' };
  const scheme = readAlgorithm(first);
  if (!scheme) return { kind: 'unknown' };
  if (OLDER_ENCRYPTION_OID_PATTERN.test(scheme.name)) return toKeyDerivation('pbkdf2', scheme.parameters, 1);
  const kdf = scheme.name === PBES2_OID ? scheme.parameters[0] && readAlgorithm(scheme.parameters[0]) : undefined;
  if (kdf?.name === PBKDF2_OID) return toKeyDerivation('pbkdf2', kdf.parameters, 1);
  if (kdf?.name === SCRYPT_OID) return toKeyDerivation('scrypt', kdf.parameters, 3);
  return { kind: 'unknown' };
}

/** @param numbers how many integers after the salt to multiply */
function toKeyDerivation(
  kind: 'pbkdf2' | 'scrypt',
  [salt, ...rest]: readonly DerElement[],
  numbers: number,
): KeyDerivation {
  const factors = rest
    .slice(0, numbers)
    .map(({ tag, content }) => (tag === INTEGER_TAG ? readInteger(content) : Number.NaN));
  const count = factors.reduce((product, factor) => product * factor, 1);
  const isReadable =
    salt?.tag === OCTET_STRING_TAG && factors.length === numbers && factors.every((factor) => factor >= 0);
  return isReadable ? { kind, count } : { kind: 'unknown' };
}

/** Parses an AlgorithmIdentifier whose parameters are a sequence. Undefined for anything else. */
function readAlgorithm({ tag, content }: DerElement): { name: string; parameters: DerElement[] } | undefined {
  const [name, parameters] = (tag === SEQUENCE_TAG && readElements(content)) || [];
  const list = parameters?.tag === SEQUENCE_TAG && readElements(parameters.content);
  return name?.tag === OBJECT_IDENTIFIER_TAG && list
    ? { name: name.content.toString('hex'), parameters: list }
    : undefined;
}

/** Infinity for more than six bytes: far above any sensible value. */
const readInteger = (content: Buffer): number =>
  content.length === 0
    ? Number.NaN
    : content.length > 6
      ? Number.POSITIVE_INFINITY
      : content.readIntBE(0, content.length);

/** Splits DER into consecutive elements; undefined for an indefinite length or a truncated element. */
function readElements(bytes: Buffer): DerElement[] | undefined {
  const found: DerElement[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = bytes[at] as number;
    let length = bytes[at + 1] ?? 0x80;
    at += 2;
    if (length >= 0x80) {
      const digits = length - 0x80;
      if (digits < 1 || digits > 3 || at + digits > bytes.length) return undefined;
      length = bytes.readUIntBE(at, digits);
      at += digits;
    }
    if (at + length > bytes.length) return undefined;
    found.push({ tag, content: bytes.subarray(at, at + length) });
    at += length;
  }
  return found;
}
