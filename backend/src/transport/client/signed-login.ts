import type { Client, ParsedKey } from 'ssh2';

type Sign = (request: Buffer, done: (signature: Buffer) => void) => void;

/** What of the library's insides is needed. */
interface Insides {
  /** None where the client was given a key that it cannot read. */
  _protocol?: { authPK(username: string, key: ParsedKey, algorithm?: string, sign?: Sign): void };
}

/** RFC 8332; the algorithms of other keys name no digest of their own. */
const DIGESTS: Readonly<Record<string, string>> = {
  'ssh-rsa': 'sha1',
  'rsa-sha2-256': 'sha256',
  'rsa-sha2-512': 'sha512',
};

/**
 * Has the first request of a login by public key carry its signature. The library (ssh2 1.17) asks first whether the host
 * would take the key, which RFC 4252 (section 7) leaves to the client: a round trip of each connection, and one more look
 * of the host for its authorized keys. To be called before the key exchange; only for keys that are here to sign with.
 */
export function signAtOnce(client: Client): void {
  const protocol = (client as unknown as Insides)._protocol;
  if (!protocol) return;
  const request = protocol.authPK.bind(protocol);
  protocol.authPK = (username, key, algorithm, sign) => {
    const signNow: Sign = (bytes, done) => {
      const signature: Buffer | Error = key.sign(bytes, algorithm && DIGESTS[algorithm]);
      // asked as usual, the library tells what is wrong when it comes to sign
      if (signature instanceof Error) request(username, key, algorithm);
      else done(signature);
    };
    request(username, key, algorithm, sign ?? signNow);
  };
}
