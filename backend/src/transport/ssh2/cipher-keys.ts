import { createSecretKey } from 'node:crypto';
import type { Client } from 'ssh2';
import { toPrivateClient } from './private-fields.js';

/**
 * Replaces raw cipher and MAC keys with key objects.
 *
 * For each packet, ssh2 creates a cipher (AES-GCM) or a MAC (other ciphers) from raw key bytes. Node.js 24 first tests
 * whether the bytes are a key object, by throwing and catching an exception. A key object avoids that cost. Call before
 * the key exchange; later key exchanges are included.
 */
export function cacheCipherKeys(client: Client): void {
  client.on('handshake', () => {
    const { _cipher, _decipher } = toPrivateClient(client)._protocol ?? {};
    if (!_cipher || !_decipher) return;
    if (Buffer.isBuffer(_cipher._encKey)) _cipher._encKey = createSecretKey(_cipher._encKey);
    if (Buffer.isBuffer(_decipher._decipherKey)) _decipher._decipherKey = createSecretKey(_decipher._decipherKey);
    for (const side of [_cipher, _decipher])
      if (Buffer.isBuffer(side._macKey)) side._macKey = createSecretKey(side._macKey);
  });
}
