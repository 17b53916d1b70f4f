import {
  getIncomingWindow,
  hasExitStatus,
  isAnswerPending,
  isChannelOpening,
  isIncomingOpen,
  type PeerState,
} from '../ssh2/peer-messages.js';
import type { MessageCost } from './peer-budget.js';

/** Message numbers (RFC 4250, 4.1). */
export const MESSAGE_NUMBERS = {
  KEXINIT: 20,
  AUTH_METHOD: 60,
  GLOBAL_REQUEST: 80,
  REQUEST_SUCCESS: 81,
  REQUEST_FAILURE: 82,
  CHANNEL_OPEN_CONFIRMATION: 91,
  CHANNEL_OPEN_FAILURE: 92,
  CHANNEL_DATA: 94,
  CHANNEL_EXTENDED_DATA: 95,
  CHANNEL_EOF: 96,
  CHANNEL_CLOSE: 97,
  CHANNEL_REQUEST: 98,
  CHANNEL_SUCCESS: 99,
  CHANNEL_FAILURE: 100,
} as const;

export type ExpectedMessages = Pick<PeerState, 'channel' | 'globalAnswers'>;

/** Bytes of a packet besides its payload: length, padding and MAC. */
const PACKET_OVERHEAD_BYTES = 32;
const STDERR_DATA_TYPE = 1;
/** Cost of a message that requires a signature or the verification of a key list, in units of a plain message. */
const COSTLY_MESSAGE_COUNT = 50;
const HOST_KEYS_REQUEST_NAME = Buffer.from('hostkeys-00@openssh.com');
const EXIT_REQUEST_PREFIX = Buffer.from('exit-s');

/** Message without cost; `data`: bytes of command output in it. */
export interface FreeBytes {
  data: number;
}
const NO_FREE_BYTES: FreeBytes = { data: 0 };
export const WINDOW_EXCEEDED = 'beyond window';

/** Returns the cost of a message. Output within the window and answers to Runward's requests are free. */
export function getMessageCost(
  payload: Buffer,
  expected: ExpectedMessages,
): MessageCost | FreeBytes | typeof WINDOW_EXCEEDED {
  const type = payload[0];
  const cost = (messages = 1): MessageCost => ({ messages, bytes: payload.length + PACKET_OVERHEAD_BYTES });
  if (type === MESSAGE_NUMBERS.AUTH_METHOD) return cost(COSTLY_MESSAGE_COUNT);
  if (type === MESSAGE_NUMBERS.GLOBAL_REQUEST) return cost(isHostKeysRequest(payload) ? COSTLY_MESSAGE_COUNT : 1);
  if (type === MESSAGE_NUMBERS.REQUEST_SUCCESS || type === MESSAGE_NUMBERS.REQUEST_FAILURE)
    return expected.globalAnswers > 0 ? NO_FREE_BYTES : cost();
  if (type === undefined || type < MESSAGE_NUMBERS.CHANNEL_OPEN_CONFIRMATION || payload.length < 5) return cost();
  const channel = expected.channel(payload.readUInt32BE(1));
  if (channel === undefined) return cost();
  if (isChannelOpening(channel)) {
    const answered =
      type === MESSAGE_NUMBERS.CHANNEL_OPEN_CONFIRMATION || type === MESSAGE_NUMBERS.CHANNEL_OPEN_FAILURE;
    return answered || type === MESSAGE_NUMBERS.CHANNEL_CLOSE ? NO_FREE_BYTES : cost();
  }
  switch (type) {
    case MESSAGE_NUMBERS.CHANNEL_DATA:
    case MESSAGE_NUMBERS.CHANNEL_EXTENDED_DATA: {
      const data = countDataBytes(payload, type);
      if (data > getIncomingWindow(channel)) return WINDOW_EXCEEDED;
      return data > 0 ? { data } : cost();
    }
    case MESSAGE_NUMBERS.CHANNEL_EOF:
      return isIncomingOpen(channel) ? NO_FREE_BYTES : cost();
    case MESSAGE_NUMBERS.CHANNEL_CLOSE:
      return NO_FREE_BYTES;
    case MESSAGE_NUMBERS.CHANNEL_REQUEST:
      return !hasExitStatus(channel) && hasNameAt(payload, 5, EXIT_REQUEST_PREFIX) ? NO_FREE_BYTES : cost();
    case MESSAGE_NUMBERS.CHANNEL_SUCCESS:
    case MESSAGE_NUMBERS.CHANNEL_FAILURE:
      return isAnswerPending(channel) ? NO_FREE_BYTES : cost();
    default:
      return cost();
  }
}

export const isHostKeysRequest = (payload: Buffer): boolean =>
  payload[0] === MESSAGE_NUMBERS.GLOBAL_REQUEST && hasNameAt(payload, 1, HOST_KEYS_REQUEST_NAME);

const hasNameAt = (payload: Buffer, at: number, name: Buffer): boolean =>
  payload.subarray(at + 4, at + 4 + name.length).equals(name);

function countDataBytes(payload: Buffer, type: number): number {
  if (type === MESSAGE_NUMBERS.CHANNEL_DATA) return payload.length < 9 ? 0 : payload.readUInt32BE(5);
  return payload.length < 13 || payload.readUInt32BE(5) !== STDERR_DATA_TYPE ? 0 : payload.readUInt32BE(9);
}

/** Processor time of a key exchange on the client; 1 = Curve25519. */
const COST_BY_KEY_EXCHANGE: Readonly<Record<string, number>> = {
  'curve25519-sha256': 1,
  'curve25519-sha256@libssh.org': 1,
  'diffie-hellman-group16-sha512': 3,
  'diffie-hellman-group18-sha512': 8,
  'diffie-hellman-group-exchange-sha256': 8,
  'diffie-hellman-group-exchange-sha1': 8,
};
const DEFAULT_KEY_EXCHANGE_COST = 3;
/** Offset of the first name-list in SSH_MSG_KEXINIT (RFC 4253, 7.1). */
const FIRST_NAME_LIST_OFFSET = 17;

/**
 * Returns the cost of the key exchange that follows from the host's SSH_MSG_KEXINIT.
 * @param ours names that the client offers, preferred first
 */
export function getKeyExchangeCost(kexInit: Buffer, ours: readonly string[]): number {
  if (kexInit.length < FIRST_NAME_LIST_OFFSET + 4) return DEFAULT_KEY_EXCHANGE_COST;
  const start = FIRST_NAME_LIST_OFFSET + 4;
  const names = new Set(
    kexInit.toString('latin1', start, start + kexInit.readUInt32BE(FIRST_NAME_LIST_OFFSET)).split(','),
  );
  const chosen = ours.find((name) => names.has(name));
  return COST_BY_KEY_EXCHANGE[chosen ?? ''] ?? DEFAULT_KEY_EXCHANGE_COST;
}
