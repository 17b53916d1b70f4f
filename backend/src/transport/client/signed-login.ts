import type { Client, ParsedKey } from 'ssh2';

type SignFunction = (request: Buffer, done: (signature: Buffer) => void) => void;

interface Ssh2Internals {
  /** Absent if the client could not read its private key. */
  _protocol?: { authPK(username: string, key: ParsedKey, algorithm?: string, sign?: SignFunction): void };
}

/** Digests of RSA signature algorithms (RFC 8332). The algorithms of other keys do not name a digest. */
const DIGEST_BY_SIGNATURE_ALGORITHM: Readonly<Record<string, string>> = {
  'ssh-rsa': 'sha1',
  'rsa-sha2-256': 'sha256',
  'rsa-sha2-512': 'sha512',
};

/**
 * Sends the signature with the first public key request. ssh2 (1.17) first asks whether the host accepts the key, which
 * RFC 4252 (section 7) makes optional. That costs a round trip and a second lookup of the authorized keys. Call before
 * the key exchange, and only for keys that can sign locally.
 */
export function signLoginsSynchronously(client: Client): void {
  const protocol = (client as unknown as Ssh2Internals)._protocol;
  if (!protocol) return;
  const request = protocol.authPK.bind(protocol);
  protocol.authPK = (username, key, algorithm, sign) => {
    const signImmediately: SignFunction = (bytes, done) => {
      const signature: Buffer | Error = key.sign(bytes, algorithm && DIGEST_BY_SIGNATURE_ALGORITHM[algorithm]);
      // sends the unsigned request instead: ssh2 then reports the error when it signs
      if (signature instanceof Error) request(username, key, algorithm);
      else done(signature);
    };
    request(username, key, algorithm, sign ?? signImmediately);
  };
}
