import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Client, ParsedKey } from 'ssh2';

interface Ssh2Ciphers {
  _protocol: {
    _cipher: { _encKey?: Buffer | KeyObject; _macKey?: Buffer | KeyObject };
    _decipher: { _decipherKey?: Buffer | KeyObject; _macKey?: Buffer | KeyObject };
  };
}

/**
 * Replaces raw cipher and MAC keys with key objects.
 *
 * For each packet, ssh2 (1.17) creates a cipher (AES-GCM) or a MAC (other ciphers) from raw key bytes. Node.js 24 first
 * tests whether the bytes are a key object, by throwing and catching an exception. A key object avoids that cost. Call
 * before the key exchange; later key exchanges are included.
 */
export function cacheCipherKeys(client: Client): void {
  client.on('handshake', () => {
    const { _cipher, _decipher } = (client as unknown as Ssh2Ciphers)._protocol;
    if (Buffer.isBuffer(_cipher._encKey)) _cipher._encKey = createSecretKey(_cipher._encKey);
    if (Buffer.isBuffer(_decipher._decipherKey)) _decipher._decipherKey = createSecretKey(_decipher._decipherKey);
    for (const side of [_cipher, _decipher])
      if (Buffer.isBuffer(side._macKey)) side._macKey = createSecretKey(side._macKey);
  });
}

/**
 * Joins all writes of one event-loop turn. ssh2 writes each small packet separately, and each write costs a system call
 * and a network packet.
 */
export function joinWrites(socket: Duplex): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let isCorked = false;
  const uncork = (): void => {
    isCorked = false;
    socket.uncork();
  };
  socket.write = (...args: unknown[]): boolean => {
    if (!isCorked) {
      isCorked = true;
      socket.cork();
      setImmediate(uncork);
    }
    return write(...args);
  };
}

type SignFunction = (request: Buffer, done: (signature: Buffer) => void) => void;

interface Ssh2Login {
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
  const protocol = (client as unknown as Ssh2Login)._protocol;
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
