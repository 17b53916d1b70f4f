/** Token bucket. It refills over time and by `refill`. */
export class LeakyBucket {
  private level: number;
  private at: number;

  /**
   * @param capacity maximum and initial level
   * @param perSecond refill rate
   * @param now in ms
   */
  constructor(
    private readonly capacity: number,
    private readonly perSecond: number,
    now: number,
  ) {
    this.level = capacity;
    this.at = now;
  }

  refill(amount: number): void {
    this.level = Math.min(this.capacity, this.level + amount);
  }

  /** Spends the amount even when the bucket cannot cover it. @returns false when the level is below zero, else true */
  spend(amount: number, now: number): boolean {
    this.refill(((now - this.at) / 1000) * this.perSecond);
    this.at = now;
    this.level -= amount;
    return this.level >= 0;
  }

  /** Time until the level is no longer below zero, in ms; 0: it is not. */
  get msUntilEmpty(): number {
    return Math.max(0, (-this.level / this.perSecond) * 1000);
  }
}

export interface MessageCost {
  messages: number;
  bytes: number;
  /** Cost of a key exchange; 1 = Curve25519. */
  exchange?: number;
}

const MESSAGE_RATE_LIMIT = { capacity: 500, perSecond: 50 };
const BYTE_RATE_LIMIT = { capacity: 256 * 1024, perSecond: 32 * 1024 };
const KEY_EXCHANGE_RATE_LIMIT = { capacity: 24, perSecond: 0.1 };

/** Packets of output. A server that is slowed down switches to larger packets. */
const PACKET_RATE_LIMIT = { capacity: 20_000, perSecond: 2_000 };
/** Output bytes that compensate for one packet. */
const BYTES_PER_PACKET = 512;

/**
 * Output bytes that compensate for one Curve25519 key exchange. With `RekeyLimit 256K`, sshd exchanges keys before each
 * packet of more than 16 KiB.
 */
const BYTES_PER_KEY_EXCHANGE = 16 * 1024;
/** Messages and bytes that the host may send in one key exchange. */
const MESSAGES_PER_KEY_EXCHANGE = 4;
const MESSAGE_BYTES_PER_KEY_EXCHANGE = 2 * 1024;
/** Input bytes that compensate for one window adjustment, in addition to one adjustment per packet. */
const DATA_BYTES_PER_WINDOW_ADJUSTMENT = 4 * 1024;
const WINDOW_ADJUSTMENT_MESSAGE_BYTES = 64;

/** Limits the cost that the host of one connection may cause in addition to command output. */
export class PeerBudget {
  private readonly messages: LeakyBucket;
  private readonly bytes: LeakyBucket;
  private readonly exchanges: LeakyBucket;
  private readonly packets: LeakyBucket;

  /** @param now in ms, as in all methods */
  constructor(now: number) {
    const bucket = ({ capacity, perSecond }: typeof MESSAGE_RATE_LIMIT) => new LeakyBucket(capacity, perSecond, now);
    this.messages = bucket(MESSAGE_RATE_LIMIT);
    this.bytes = bucket(BYTE_RATE_LIMIT);
    this.exchanges = bucket(KEY_EXCHANGE_RATE_LIMIT);
    this.packets = bucket(PACKET_RATE_LIMIT);
  }

  /** @returns the exhausted limit; null: the connection may continue */
  spend({ messages, bytes, exchange }: MessageCost, now: number): 'messages' | 'bytes' | 'key exchanges' | null {
    if (exchange !== undefined && !this.exchanges.spend(exchange, now)) return 'key exchanges';
    if (!this.messages.spend(messages, now)) return 'messages';
    return this.bytes.spend(bytes, now) ? null : 'bytes';
  }

  /**
   * Records a packet of command output.
   * @returns how long to stop reading from the host, in ms: small packets cost as much processor time as large ones
   */
  addReceived(bytes: number, now: number): number {
    this.refillKeyExchanges(bytes / BYTES_PER_KEY_EXCHANGE);
    this.packets.spend(Math.max(0, 1 - bytes / BYTES_PER_PACKET), now);
    return this.packets.msUntilEmpty;
  }

  /** Records a sent packet of input, for which the host may adjust its window. */
  addSent(bytes: number): void {
    this.refillKeyExchanges(bytes / BYTES_PER_KEY_EXCHANGE);
    const adjustments = 1 + bytes / DATA_BYTES_PER_WINDOW_ADJUSTMENT;
    this.messages.refill(adjustments);
    this.bytes.refill(adjustments * WINDOW_ADJUSTMENT_MESSAGE_BYTES);
  }

  private refillKeyExchanges(count: number): void {
    this.exchanges.refill(count);
    this.messages.refill(count * MESSAGES_PER_KEY_EXCHANGE);
    this.bytes.refill(count * MESSAGE_BYTES_PER_KEY_EXCHANGE);
  }
}
