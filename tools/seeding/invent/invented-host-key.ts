import { createHash } from 'node:crypto';
import { type HostKey, hostKeyFromBlob } from '../../../backend/src/transport/keys/host-key.js';

const TYPE = 'ssh-ed25519';
const LENGTH_BYTES = 4;

const wireString = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** Valid host key that no machine has. */
export const inventedHostKey = (text: string): HostKey =>
  hostKeyFromBlob(
    Buffer.concat([wireString(Buffer.from(TYPE)), wireString(createHash('sha256').update(text).digest())]),
  );
