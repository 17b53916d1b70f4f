import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Client } from 'ssh2';

/** What of the library's insides is needed. */
interface Insides {
  _protocol: {
    _cipher: { _encKey?: Buffer | KeyObject; _macKey?: Buffer | KeyObject };
    _decipher: { _decipherKey?: Buffer | KeyObject; _macKey?: Buffer | KeyObject };
  };
}

/**
 * The library (ssh2 1.17) makes a cipher of AES-GCM, and a MAC of the others, anew for each packet, from bytes of a key.
 * Node.js 24 looks first whether such bytes are a key object, by an exception that it catches: with a key object in their
 * place that is spared. To be called before the key exchange; each further one is taken care of too.
 */
export function keepCipherKeysPrepared(client: Client): void {
  client.on('handshake', () => {
    const { _cipher, _decipher } = (client as unknown as Insides)._protocol;
    if (Buffer.isBuffer(_cipher._encKey)) _cipher._encKey = createSecretKey(_cipher._encKey);
    if (Buffer.isBuffer(_decipher._decipherKey)) _decipher._decipherKey = createSecretKey(_decipher._decipherKey);
    for (const side of [_cipher, _decipher])
      if (Buffer.isBuffer(side._macKey)) side._macKey = createSecretKey(side._macKey);
  });
}
