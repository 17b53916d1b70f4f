import type { Client } from 'ssh2';
import {
  type Ssh2ChannelEntry,
  type Ssh2KeyExchange,
  type Ssh2PacketReader,
  toPrivateClient,
} from './private-fields.js';

export type PeerChannel = Ssh2ChannelEntry;
type ConfirmedChannel = Exclude<PeerChannel, (...args: never[]) => unknown>;

export const isChannelOpening = (channel: PeerChannel): channel is Exclude<PeerChannel, ConfirmedChannel> =>
  typeof channel === 'function';
/** Bytes that the host may still send. */
export const getIncomingWindow = (channel: ConfirmedChannel): number => channel.incoming.window;
export const isIncomingOpen = (channel: ConfirmedChannel): boolean => channel.incoming.state === 'open';
export const hasExitStatus = (channel: ConfirmedChannel): boolean => channel._exit.code !== undefined;
export const isAnswerPending = (channel: ConfirmedChannel): boolean => channel._callbacks.length > 0;

/** What the client expects from the host now. */
export interface PeerState {
  channel(id: number): PeerChannel | undefined;
  readonly globalAnswers: number;
  /** Names that the client offers, preferred first. */
  readonly offeredKeyExchanges: readonly string[];
}

/** Diffie-Hellman over a group of the host, instead of `DiffieHellman` of Node.js. */
export interface KeyExchangeGroup {
  readonly publicKey: Buffer;
  getPrime(): Buffer;
  getGenerator(): Buffer;
  computeSecret(other: Buffer): Buffer;
}

/** Each function may throw; the client then reports the error and ends the connection. */
export interface PeerMessageHandlers {
  /** Called before ssh2 handles a message of the host. @returns the message that ssh2 handles instead */
  onMessage(payload: Buffer): Buffer;
  /** Called after packets without a message, which do not reach `onMessage`. */
  onEmptyPackets(count: number): void;
  /** Called before data is sent over a channel. */
  onDataSent(bytes: number): void;
  createGroup(prime: Buffer, generator: Buffer): KeyExchangeGroup;
}

/** SSH_MSG_IGNORE, which replaces a message that ssh2 must not handle. */
export const IGNORED_MESSAGE = Buffer.from([2, 0, 0, 0, 0]);
const KEX_DH_GEX_GROUP_MESSAGE = 31;

/**
 * Calls the handlers for the messages of a connection. Call right after `connect`.
 * @param createHandlers not called if the client could not read its private key, which it reports itself
 */
export function watchPeerMessages(client: Client, createHandlers: (state: PeerState) => PeerMessageHandlers): void {
  const privateClient = toPrivateClient(client);
  const { _protocol: protocol } = privateClient;
  if (!protocol) return;
  const handlers = createHandlers({
    channel: (id) => privateClient._chanMgr._channels[id],
    get globalAnswers() {
      return privateClient._callbacks.length;
    },
    get offeredKeyExchanges() {
      return protocol._offer.lists.kex.array;
    },
  });

  let packets = 0;
  const watchReader = (reader: Ssh2PacketReader): Ssh2PacketReader => ({
    read: (payload) => {
      packets += 1;
      const handled = handlers.onMessage(payload);
      if (payload[0] === KEX_DH_GEX_GROUP_MESSAGE) prepareGroupExchange(protocol._kex, payload, handlers);
      return reader.read(handled);
    },
    cleanup: () => reader.cleanup(),
  });
  let reader = watchReader(protocol._packetRW.read);
  Object.defineProperty(protocol._packetRW, 'read', {
    get: () => reader,
    set: (made: Ssh2PacketReader) => (reader = watchReader(made)),
  });

  const parse = protocol.parse.bind(protocol);
  protocol.parse = (chunk, start, end) => {
    const { _decipher: decipher } = protocol;
    const before = decipher?.inSeqno ?? 0;
    packets = 0;
    parse(chunk, start, end);
    if (!decipher || decipher !== protocol._decipher) return;
    const empty = decipher.inSeqno - before - packets;
    if (empty > 0) handlers.onEmptyPackets(empty);
  };

  const channelData = protocol.channelData.bind(protocol);
  protocol.channelData = (channel, data) => {
    handlers.onDataSent(data.length);
    channelData(channel, data);
  };
}

/** Sets the fields that ssh2 would set with `createDiffieHellman`. */
function prepareGroupExchange(
  kex: Ssh2KeyExchange | undefined,
  payload: Buffer,
  handlers: Pick<PeerMessageHandlers, 'createGroup'>,
): void {
  if (kex?.type !== 'groupex' || kex._step !== 1 || kex._dh) return;
  const prime = readWireStringAt(payload, 1);
  const generator = prime && readWireStringAt(payload, 5 + prime.length);
  if (!generator) return;
  const group = handlers.createGroup(prime, generator);
  kex._dh = group;
  kex._public = group.publicKey;
}

function readWireStringAt(payload: Buffer, at: number): Buffer | null {
  if (at + 4 > payload.length) return null;
  const end = at + 4 + payload.readUInt32BE(at);
  return end > payload.length ? null : payload.subarray(at + 4, end);
}
