import type { MessageCost } from './peer-budget.js';

/** Message numbers (RFC 4250, 4.1). */
export const MESSAGE = {
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

/** Channel in ssh2 (1.17). It is a function until the host confirms it. */
export type PeerChannel =
  | ((...args: never[]) => unknown)
  | {
      incoming: { window: number; state: string };
      _callbacks: readonly unknown[];
      _exit: { code: unknown };
    };

export interface Expected {
  channel(id: number): PeerChannel | undefined;
  globalAnswers: number;
}

/** Bytes of a packet besides its payload: length, padding and MAC. */
const PACKET_BYTES = 32;
const STDERR = 1;
/** Cost of a message that requires a signature or the verification of a key list, in units of a plain message. */
const COSTLY_MESSAGE_COUNT = 50;
const HOST_KEYS = Buffer.from('hostkeys-00@openssh.com');
const EXIT = Buffer.from('exit-s');

/** Message without cost; `data`: bytes of command output in it. */
export interface FreeBytes {
  data: number;
}
const NO_FREE_BYTES: FreeBytes = { data: 0 };
export const BEYOND_WINDOW = 'beyond window';

/** Returns the cost of a message. Output within the window and answers to Runward's requests are free. */
export function costOf(payload: Buffer, expected: Expected): MessageCost | FreeBytes | typeof BEYOND_WINDOW {
  const type = payload[0];
  const cost = (messages = 1): MessageCost => ({ messages, bytes: payload.length + PACKET_BYTES });
  if (type === MESSAGE.AUTH_METHOD) return cost(COSTLY_MESSAGE_COUNT);
  if (type === MESSAGE.GLOBAL_REQUEST) return cost(isHostKeys(payload) ? COSTLY_MESSAGE_COUNT : 1);
  if (type === MESSAGE.REQUEST_SUCCESS || type === MESSAGE.REQUEST_FAILURE)
    return expected.globalAnswers > 0 ? NO_FREE_BYTES : cost();
  if (type === undefined || type < MESSAGE.CHANNEL_OPEN_CONFIRMATION || payload.length < 5) return cost();
  const channel = expected.channel(payload.readUInt32BE(1));
  if (channel === undefined) return cost();
  if (typeof channel === 'function') {
    const answered = type === MESSAGE.CHANNEL_OPEN_CONFIRMATION || type === MESSAGE.CHANNEL_OPEN_FAILURE;
    return answered || type === MESSAGE.CHANNEL_CLOSE ? NO_FREE_BYTES : cost();
  }
  switch (type) {
    case MESSAGE.CHANNEL_DATA:
    case MESSAGE.CHANNEL_EXTENDED_DATA: {
      const data = dataBytes(payload, type);
      if (data > channel.incoming.window) return BEYOND_WINDOW;
      return data > 0 ? { data } : cost();
    }
    case MESSAGE.CHANNEL_EOF:
      return channel.incoming.state === 'open' ? NO_FREE_BYTES : cost();
    case MESSAGE.CHANNEL_CLOSE:
      return NO_FREE_BYTES;
    case MESSAGE.CHANNEL_REQUEST:
      return channel._exit.code === undefined && named(payload, 5, EXIT) ? NO_FREE_BYTES : cost();
    case MESSAGE.CHANNEL_SUCCESS:
    case MESSAGE.CHANNEL_FAILURE:
      return channel._callbacks.length > 0 ? NO_FREE_BYTES : cost();
    default:
      return cost();
  }
}

export const isHostKeys = (payload: Buffer): boolean =>
  payload[0] === MESSAGE.GLOBAL_REQUEST && named(payload, 1, HOST_KEYS);

const named = (payload: Buffer, at: number, name: Buffer): boolean =>
  payload.subarray(at + 4, at + 4 + name.length).equals(name);

function dataBytes(payload: Buffer, type: number): number {
  if (type === MESSAGE.CHANNEL_DATA) return payload.length < 9 ? 0 : payload.readUInt32BE(5);
  return payload.length < 13 || payload.readUInt32BE(5) !== STDERR ? 0 : payload.readUInt32BE(9);
}
