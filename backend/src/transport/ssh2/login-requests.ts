import type { Client } from 'ssh2';
import { type SignFunction, toPrivateClient } from './private-fields.js';

/** Digests of RSA signature algorithms (RFC 8332). The algorithms of other keys do not name a digest. */
const DIGEST_BY_SIGNATURE_ALGORITHM: Readonly<Record<string, string>> = {
  'ssh-rsa': 'sha1',
  'rsa-sha2-256': 'sha256',
  'rsa-sha2-512': 'sha512',
};

/**
 * Sends the signature with the first public key request. ssh2 first asks whether the host accepts the key, which RFC
 * 4252 (section 7) makes optional. That costs a round trip and a second lookup of the authorized keys. Call before the
 * key exchange, and only for keys that can sign locally.
 */
export function signLoginsSynchronously(client: Client): void {
  const protocol = toPrivateClient(client)._protocol;
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

/** Sends `payload` instead of the message that ssh2 writes next. Later messages do not change. */
export function replaceNextMessage(client: Client, payload: Buffer): void {
  const { write } = toPrivateClient(client)._protocol?._packetRW ?? {};
  if (!write) throw new Error('A message was replaced before its connection was opened.');
  const own = Object.getOwnPropertyDescriptor(write, 'finalize');
  const finalize = write.finalize.bind(write);
  write.finalize = () => {
    if (own) Object.defineProperty(write, 'finalize', own);
    else delete (write as Partial<typeof write>).finalize;
    const packet = write.alloc(payload.length);
    packet.set(payload, write.allocStart);
    return finalize(packet);
  };
}
