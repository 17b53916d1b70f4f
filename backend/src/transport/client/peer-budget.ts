/** Token bucket. It refills over time and by `refill`. */
export class Bucket {
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

const MESSAGES = { capacity: 500, perSecond: 50 };
const BYTES = { capacity: 256 * 1024, perSecond: 32 * 1024 };
const EXCHANGES = { capacity: 24, perSecond: 0.1 };

/** Packets of output. A server that is slowed down switches to larger packets. */
const PACKETS = { capacity: 20_000, perSecond: 2_000 };
/** Output bytes that compensate for one packet. */
const BYTES_PER_PACKET = 512;

/**
 * Output bytes that compensate for one Curve25519 key exchange. With `RekeyLimit 256K`, sshd exchanges keys before each
 * packet of more than 16 KiB.
 */
const BYTES_PER_EXCHANGE = 16 * 1024;
/** Messages and bytes that the host may send in one key exchange. */
const EXCHANGE_MESSAGES = 4;
const EXCHANGE_BYTES = 2 * 1024;
/** Input bytes that compensate for one window adjustment, in addition to one adjustment per packet. */
const BYTES_PER_ADJUSTMENT = 4 * 1024;
const ADJUSTMENT_BYTES = 64;

/** Limits the cost that the host of one connection may cause in addition to command output. */
export class PeerBudget {
  private readonly messages: Bucket;
  private readonly bytes: Bucket;
  private readonly exchanges: Bucket;
  private readonly packets: Bucket;

  /** @param now in ms, as in all methods */
  constructor(now: number) {
    const bucket = ({ capacity, perSecond }: typeof MESSAGES) => new Bucket(capacity, perSecond, now);
    this.messages = bucket(MESSAGES);
    this.bytes = bucket(BYTES);
    this.exchanges = bucket(EXCHANGES);
    this.packets = bucket(PACKETS);
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
    this.earnExchanges(bytes / BYTES_PER_EXCHANGE);
    this.packets.spend(Math.max(0, 1 - bytes / BYTES_PER_PACKET), now);
    return this.packets.msUntilEmpty;
  }

  /** Records a sent packet of input, for which the host may adjust its window. */
  sent(bytes: number): void {
    this.earnExchanges(bytes / BYTES_PER_EXCHANGE);
    const adjustments = 1 + bytes / BYTES_PER_ADJUSTMENT;
    this.messages.refill(adjustments);
    this.bytes.refill(adjustments * ADJUSTMENT_BYTES);
  }

  private earnExchanges(count: number): void {
    this.exchanges.refill(count);
    this.messages.refill(count * EXCHANGE_MESSAGES);
    this.bytes.refill(count * EXCHANGE_BYTES);
  }
}
