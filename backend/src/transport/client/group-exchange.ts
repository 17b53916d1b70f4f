import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject, randomBytes } from 'node:crypto';
import { HostilePeerError } from '../ssh-errors.js';
import type { KeyExchangeGroup } from '../ssh2/peer-messages.js';

/** Limits of group sizes, in bits: RFC 8270, and the sizes that ssh2 requests. */
const MIN_GROUP_BITS = 2048;
const MAX_GROUP_BITS = 8192;
/** Twice the strength of the strongest cipher, as in OpenSSH. */
const EXPONENT_BYTES = 64;
const DH_KEY_AGREEMENT_OID = Buffer.from('06092a864886f70d010301', 'hex');

const encodeDer = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const encodeDerInteger = (bytes: Buffer): Buffer =>
  encodeDer(0x02, (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes);

function trimLeadingZeros(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? Buffer.of(0) : bytes.subarray(first);
}

/**
 * Diffie-Hellman over a group that the server chose. Node's `createDiffieHellman` would first test whether the modulus
 * is a safe prime. This takes 3 s for 4096 bits and 40 s for 8192. OpenSSH's client also skips the test, because the
 * server knows the shared secret anyway.
 */
export class GroupExchange implements KeyExchangeGroup {
  readonly publicKey: Buffer;
  private readonly prime: Buffer;
  private readonly generator: Buffer;
  private readonly privateKey: KeyObject;

  /** @throws HostilePeerError for a group size that was not requested */
  constructor(prime: Buffer, generator: Buffer) {
    this.prime = trimLeadingZeros(prime);
    this.generator = trimLeadingZeros(generator);
    const bits = this.prime.length * 8 - Math.clz32(this.prime[0] ?? 0) + 24;
    if (bits < MIN_GROUP_BITS || bits > MAX_GROUP_BITS)
      throw new HostilePeerError(`its group for the key exchange has ${bits} bits instead of 2048 to 8192`);
    const exponent = encodeDerInteger(Buffer.concat([Buffer.of(1), randomBytes(EXPONENT_BYTES)]));
    const key = encodeDer(0x30, encodeDerInteger(Buffer.of(0)), this.encodeAlgorithm(), encodeDer(0x04, exponent));
    this.privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
    const spki = createPublicKey(this.privateKey).export({ format: 'der', type: 'spki' });
    this.publicKey = readLastInteger(spki);
  }

  getPrime(): Buffer {
    return this.prime;
  }

  getGenerator(): Buffer {
    return this.generator;
  }

  computeSecret(other: Buffer): Buffer {
    const key = encodeDer(
      0x30,
      this.encodeAlgorithm(),
      encodeDer(0x03, Buffer.of(0), encodeDerInteger(trimLeadingZeros(other))),
    );
    const publicKey = createPublicKey({ key, format: 'der', type: 'spki' });
    return diffieHellman({ privateKey: this.privateKey, publicKey });
  }

  private encodeAlgorithm(): Buffer {
    return encodeDer(
      0x30,
      DH_KEY_AGREEMENT_OID,
      encodeDer(0x30, encodeDerInteger(this.prime), encodeDerInteger(this.generator)),
    );
  }
}

/** Reads the public value of a DH key: an INTEGER in the BIT STRING at the end of the structure. */
function readLastInteger(spki: Buffer): Buffer {
  let at = 0;
  const enter = (): number => {
    const size = spki[at + 1] ?? 0;
    const more = size > 0x80 ? size - 0x80 : 0;
    const length = more > 0 ? spki.readUIntBE(at + 2, more) : size;
    at += 2 + more;
    return length;
  };
  enter();
  const algorithm = enter();
  at += algorithm;
  enter();
  at += 1;
  const length = enter();
  return trimLeadingZeros(spki.subarray(at, at + length));
}
