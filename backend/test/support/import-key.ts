import handleKeyRequest from '../../src/transport/keys/key-thread.js';
import { importPrivateKey as read, type KeyMaterial } from '../../src/transport/keys/key-material.js';

export const importPrivateKey = (text: string, passphrase?: string): Promise<KeyMaterial> =>
  read(text, passphrase, (request) => Promise.resolve(handleKeyRequest(request)));
