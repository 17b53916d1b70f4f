import type { Duplex } from 'node:stream';
import type { ServerProposal } from '../server-algorithms.js';

/** Maximum recorded bytes of a connection. The proposal is the first packet after the identification. */
const MAX_RECORDED_BYTES = 8192;
const KEXINIT_MESSAGE = 20;
const COOKIE_BYTES = 16;

/** Call after ssh2 has started to read the socket. */
export function recordFirstBytes(socket: Duplex): () => Buffer {
  const keptChunks: Buffer[] = [];
  let length = 0;
  const take = (bytes: Buffer): void => {
    keptChunks.push(bytes);
    length += bytes.length;
    if (length >= MAX_RECORDED_BYTES) socket.off('data', take);
  };
  socket.on('data', take);
  return () => Buffer.concat(keptChunks);
}

/** @returns null when the proposal is missing or incomplete */
export function readServerProposal(bytes: Buffer): ServerProposal | null {
  const text = bytes.toString('latin1');
  const identified = /^SSH-[^\n]*\n/m.exec(text);
  if (!identified) return null;
  const payload = identified.index + identified[0].length + 5;
  if (bytes[payload] !== KEXINIT_MESSAGE) return null;
  const lists: string[][] = [];
  let at = payload + 1 + COOKIE_BYTES;
  while (lists.length < 6) {
    if (at + 4 > bytes.length) return null;
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) return null;
    lists.push(text.slice(at + 4, end).split(','));
    at = end;
  }
  const [keyExchanges = [], hostKeys = [], ciphers = [], , macs = []] = lists;
  return { keyExchanges, hostKeys, ciphers, macs };
}
