import type { Client } from 'ssh2';
import { HostilePeerError } from '../ssh-errors.js';
import {
  getKeyExchangeCost,
  WINDOW_EXCEEDED,
  getMessageCost,
  type ExpectedMessages,
  isHostKeysRequest,
  MESSAGE_NUMBERS,
  type PeerChannel,
} from './message-cost.js';
import { GroupExchange } from './group-exchange.js';
import { type MessageCost, PeerBudget } from './peer-budget.js';

interface PacketReader {
  read(payload: Buffer): Buffer;
  cleanup(): void;
}
interface Protocol {
  parse(chunk: Buffer, start: number, end: number): void;
  channelData(channel: number, data: Buffer): void;
  _packetRW: { read: PacketReader };
  _offer: { lists: { kex: { array: readonly string[] } } };
  _decipher?: { inSeqno: number };
  _kex?: { type: string; _step: number; _dh: unknown; _public: Buffer | null };
}
interface Ssh2Internals {
  _protocol?: Protocol;
  _callbacks: readonly unknown[];
  _chanMgr: { _channels: Readonly<Record<number, PeerChannel>> };
}
interface GuardedSocket {
  finishSending(): void;
  destroy(): unknown;
  pauseReading(ms: number): void;
}

const KEX_DH_GEX_GROUP_MESSAGE = 31;
const MAX_HOST_KEY_LIST_BYTES = 8 * 1024;
const EMPTY_PACKET_BYTES = 36;
/** SSH_MSG_IGNORE, which replaces a message that ssh2 must not handle. */
const IGNORED_PACKET = Buffer.from([2, 0, 0, 0, 0]);

/**
 * Ends the connection when the host exceeds its budget (see peer-budget.ts), before ssh2 handles the message. Call
 * right after `connect`. The client then reports a {@link HostilePeerError}.
 */
export function limitPeerMessages(client: Client, socket: GuardedSocket): void {
  const clientInternals = client as unknown as Ssh2Internals;
  const { _protocol: protocol } = clientInternals;
  // ssh2 continues to read after an error, so a host that reads nothing would keep the connection open.
  client.on('error', () => socket.finishSending());
  if (!protocol) return;
  const budget = new PeerBudget(performance.now());
  const expected: ExpectedMessages = {
    channel: (id) => clientInternals._chanMgr._channels[id],
    get globalAnswers() {
      return clientInternals._callbacks.length;
    },
  };
  const end = (what: string): never => {
    socket.destroy();
    throw new HostilePeerError(what);
  };
  const spend = (cost: MessageCost, type: number | null): void => {
    const spent = budget.spend(cost, performance.now());
    if (spent !== null) end(`it sent too many ${spent} besides the output of commands (last: ${getMessageName(type)})`);
  };

  let packets = 0;
  let hostKeysReceived = false;
  const guardReader = (reader: PacketReader): PacketReader => ({
    read: (payload) => {
      packets += 1;
      const type = payload[0] ?? 0;
      const cost = getMessageCost(payload, expected);
      if (cost === WINDOW_EXCEEDED) return end('it sent more output than Runward requested');
      if ('data' in cost) socket.pauseReading(budget.addReceived(cost.data, performance.now()));
      else
        spend(
          type === MESSAGE_NUMBERS.KEXINIT
            ? { ...cost, exchange: getKeyExchangeCost(payload, protocol._offer.lists.kex.array) }
            : cost,
          type,
        );
      if (type === KEX_DH_GEX_GROUP_MESSAGE) prepareGroupExchange(protocol._kex, payload);
      if (isHostKeysRequest(payload)) {
        if (hostKeysReceived || payload.length > MAX_HOST_KEY_LIST_BYTES) return IGNORED_PACKET;
        hostKeysReceived = true;
      }
      return reader.read(payload);
    },
    cleanup: () => reader.cleanup(),
  });
  let reader = guardReader(protocol._packetRW.read);
  Object.defineProperty(protocol._packetRW, 'read', {
    get: () => reader,
    set: (made: PacketReader) => (reader = guardReader(made)),
  });

  // Packets without a message do not reach the packet reader.
  const parse = protocol.parse.bind(protocol);
  protocol.parse = (chunk, start, end) => {
    const { _decipher: decipher } = protocol;
    const before = decipher?.inSeqno ?? 0;
    packets = 0;
    parse(chunk, start, end);
    if (!decipher || decipher !== protocol._decipher) return;
    const empty = decipher.inSeqno - before - packets;
    if (empty > 0) spend({ messages: empty, bytes: empty * EMPTY_PACKET_BYTES }, null);
  };

  const channelData = protocol.channelData.bind(protocol);
  protocol.channelData = (channel, data) => {
    budget.addSent(data.length);
    channelData(channel, data);
  };
}

function prepareGroupExchange(kex: Protocol['_kex'], payload: Buffer): void {
  if (kex?.type !== 'groupex' || kex._step !== 1 || kex._dh) return;
  const prime = readWireStringAt(payload, 1);
  const generator = prime && readWireStringAt(payload, 5 + prime.length);
  if (!generator) return;
  const group = new GroupExchange(prime, generator);
  kex._dh = group;
  kex._public = group.publicKey;
}

function readWireStringAt(payload: Buffer, at: number): Buffer | null {
  if (at + 4 > payload.length) return null;
  const end = at + 4 + payload.readUInt32BE(at);
  return end > payload.length ? null : payload.subarray(at + 4, end);
}

const MESSAGE_NAMES: Readonly<Record<number, string>> = {
  2: 'SSH_MSG_IGNORE',
  3: 'SSH_MSG_UNIMPLEMENTED',
  4: 'SSH_MSG_DEBUG',
  7: 'SSH_MSG_EXT_INFO',
  20: 'SSH_MSG_KEXINIT',
  53: 'SSH_MSG_USERAUTH_BANNER',
  80: 'SSH_MSG_GLOBAL_REQUEST',
  90: 'SSH_MSG_CHANNEL_OPEN',
  93: 'SSH_MSG_CHANNEL_WINDOW_ADJUST',
  94: 'SSH_MSG_CHANNEL_DATA',
  95: 'SSH_MSG_CHANNEL_EXTENDED_DATA',
  98: 'SSH_MSG_CHANNEL_REQUEST',
};

const getMessageName = (type: number | null): string =>
  type === null ? 'a packet without a message' : (MESSAGE_NAMES[type] ?? `message ${type}`);
