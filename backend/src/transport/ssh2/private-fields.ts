import { createRequire } from 'node:module';
import type { KeyObject } from 'node:crypto';
import type { CipherAlgorithm, Client, ClientChannel, MacAlgorithm, ParsedKey } from 'ssh2';

type SecretKey = Buffer | KeyObject;
export type SignFunction = (request: Buffer, done: (signature: Buffer) => void) => void;

export interface Ssh2Cipher {
  _encKey?: SecretKey;
  _macKey?: SecretKey;
}
export interface Ssh2Decipher {
  inSeqno: number;
  _decipherKey?: SecretKey;
  _macKey?: SecretKey;
}
export interface Ssh2KeyExchange {
  type: string;
  _step: number;
  _dh: unknown;
  _public: Buffer | null;
}
export interface Ssh2PacketReader {
  read(payload: Buffer): Buffer;
  cleanup(): void;
}
interface Ssh2PacketWriter {
  allocStart: number;
  alloc(size: number): Buffer;
  finalize(packet: Buffer): Buffer;
}

export interface Ssh2Protocol {
  parse(chunk: Buffer, start: number, end: number): void;
  authPK(username: string, key: ParsedKey, algorithm?: string, sign?: SignFunction): void;
  session(channel: number, window: number, packetSize: number): void;
  channelData(channel: number, data: Buffer): void;
  channelWindowAdjust(channel: number, bytes: number): void;
  _packetRW: { read: Ssh2PacketReader; write: Ssh2PacketWriter };
  _offer: { lists: { kex: { array: readonly string[] } } };
  _cipher: Ssh2Cipher;
  /** Absent until the host has sent its identification. */
  _decipher?: Ssh2Decipher;
  /** Absent until the host has sent its algorithms. */
  _kex?: Ssh2KeyExchange;
}

export interface Ssh2Channel {
  incoming: { window: number; state: string };
  outgoing: { id: number; state: string; packetSize: number };
  _callbacks: readonly unknown[];
  _exit: { code: unknown };
}
/** A function until the host confirms the channel. */
export type Ssh2ChannelEntry = ((...args: never[]) => unknown) | Pick<Ssh2Channel, '_callbacks' | '_exit' | 'incoming'>;

export interface Ssh2Client {
  /** Absent if the client could not read its private key. */
  _protocol?: Ssh2Protocol;
  _callbacks: readonly unknown[];
  _chanMgr: { _channels: Readonly<Record<number, Ssh2ChannelEntry>> };
}

export const toPrivateClient = (client: Client): Ssh2Client => client as unknown as Ssh2Client;
export const toPrivateChannel = (channel: ClientChannel): Ssh2Channel => channel as unknown as Ssh2Channel;

interface Ssh2Constants {
  DEFAULT_CIPHER: readonly CipherAlgorithm[];
  DEFAULT_MAC: readonly MacAlgorithm[];
  SUPPORTED_SERVER_HOST_KEY: string[];
}

const require = createRequire(import.meta.url);
/** Loads the lists on each call, so that a start with another ssh2 reaches `requireKnownSsh2`. */
const readConstants = () => require('ssh2/lib/protocol/constants.js') as Ssh2Constants;

export const getDefaultCiphers = (): readonly CipherAlgorithm[] => readConstants().DEFAULT_CIPHER;
export const getDefaultMacs = (): readonly MacAlgorithm[] => readConstants().DEFAULT_MAC;

/** Lets all later connections offer these host key algorithms, which ssh2 would refuse as unknown. */
export function allowHostKeyAlgorithms(names: readonly string[]): void {
  const { SUPPORTED_SERVER_HOST_KEY: known } = readConstants();
  known.push(...names.filter((name) => !known.includes(name)));
}
