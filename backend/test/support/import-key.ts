import work from '../../src/transport/keys/key-thread.js';
import { importPrivateKey as read, type KeyMaterial } from '../../src/transport/keys/key-material.js';

/** Reads a private key without a thread. */
export const importPrivateKey = (text: string, passphrase?: string): Promise<KeyMaterial> =>
  read(text, passphrase, (request) => Promise.resolve(work(request)));
