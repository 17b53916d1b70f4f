import type { Client } from 'ssh2';
import { HostilePeerError } from '../ssh-errors.js';
import { IGNORED_MESSAGE, watchPeerMessages } from '../ssh2/peer-messages.js';
import {
  getKeyExchangeCost,
  WINDOW_EXCEEDED,
  getMessageCost,
  isHostKeysRequest,
  MESSAGE_NUMBERS,
} from './message-cost.js';
import { GroupExchange } from './group-exchange.js';
import { type MessageCost, PeerBudget } from './peer-budget.js';

interface GuardedSocket {
  finishSending(): void;
  destroy(): unknown;
  pauseReading(ms: number): void;
}

const MAX_HOST_KEY_LIST_BYTES = 8 * 1024;
const EMPTY_PACKET_BYTES = 36;

/**
 * Ends the connection when the host exceeds its budget (see peer-budget.ts), before ssh2 handles the message. Call
 * right after `connect`. The client then reports a {@link HostilePeerError}.
 */
export function limitPeerMessages(client: Client, socket: GuardedSocket): void {
  // ssh2 continues to read after an error, so a host that reads nothing would keep the connection open.
  client.on('error', () => socket.finishSending());
  const budget = new PeerBudget(performance.now());
  const end = (what: string): never => {
    socket.destroy();
    throw new HostilePeerError(what);
  };
  const spend = (cost: MessageCost, type: number | null): void => {
    const spent = budget.spend(cost, performance.now());
    if (spent !== null) end(`it sent too many ${spent} besides the output of commands (last: ${getMessageName(type)})`);
  };
  let hostKeysReceived = false;
  watchPeerMessages(client, (state) => ({
    onMessage: (payload) => {
      const type = payload[0] ?? 0;
      const cost = getMessageCost(payload, state);
      if (cost === WINDOW_EXCEEDED) return end('it sent more output than Runward requested');
      if ('data' in cost) socket.pauseReading(budget.addReceived(cost.data, performance.now()));
      else
        spend(
          type === MESSAGE_NUMBERS.KEXINIT
            ? { ...cost, exchange: getKeyExchangeCost(payload, state.offeredKeyExchanges) }
            : cost,
          type,
        );
      if (isHostKeysRequest(payload)) {
        if (hostKeysReceived || payload.length > MAX_HOST_KEY_LIST_BYTES) return IGNORED_MESSAGE;
        hostKeysReceived = true;
      }
      return payload;
    },
    onEmptyPackets: (count) => spend({ messages: count, bytes: count * EMPTY_PACKET_BYTES }, null),
    onDataSent: (bytes) => budget.addSent(bytes),
    createGroup: (prime, generator) => new GroupExchange(prime, generator),
  }));
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
