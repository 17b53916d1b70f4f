import { describe, expect, it } from '@jest/globals';
import { PeerBudget } from './peer-budget.js';

const small = { messages: 1, bytes: 40 };
/** How many of these a new budget bears in no time. */
function borne(cost: Parameters<PeerBudget['spend']>[0], earn: (budget: PeerBudget) => void = () => undefined) {
  const budget = new PeerBudget(0);
  let count = 0;
  while (count < 100_000 && budget.spend(cost, 0) === null) {
    count += 1;
    earn(budget);
  }
  return { count, spent: budget.spend(cost, 0) };
}

describe('the budget of a connection', () => {
  it('ends by messages, by bytes and by key exchanges, whichever comes first', () => {
    expect(borne(small)).toEqual({ count: 500, spent: 'messages' });
    expect(borne({ messages: 1, bytes: 32 * 1024 })).toEqual({ count: 8, spent: 'bytes' });
    expect(borne({ ...small, exchange: 1 })).toEqual({ count: 24, spent: 'key exchanges' });
    expect(borne({ ...small, exchange: 16 })).toEqual({ count: 1, spent: 'key exchanges' });
  });

  it('bears a steady trickle for ever, such as a keepalive each second', () => {
    const budget = new PeerBudget(0);
    for (let second = 0; second < 10_000; second += 1)
      for (let n = 0; n < 10; n += 1) expect(budget.spend(small, second * 1_000)).toBeNull();
  });

  it('grows with what commands are sent and print, and never beyond its beginning', () => {
    expect(borne(small, (budget) => budget.sent(1)).count).toBe(100_000);
    const exchange = { messages: 4, bytes: 2 * 1024, exchange: 1 };
    expect(borne(exchange, (budget) => budget.received(16 * 1024, 0)).count).toBe(100_000);
    expect(borne(exchange, (budget) => budget.received(12 * 1024, 0)).spent).not.toBeNull();
    const idle = new PeerBudget(0);
    idle.sent(1024 * 1024 * 1024);
    expect(idle.spend({ messages: 501, bytes: 0 }, 1_000_000)).toBe('messages');
  });

  it('holds back a host that sends output in single bytes, and none that sends it in large packets', () => {
    /** Packets that are handled in six seconds of a host that always has another one. */
    const handled = (bytes: number) => {
      const budget = new PeerBudget(0);
      let count = 0;
      // each takes 10 µs
      for (let now = 0; now < 6_000; now += 0.01 + budget.received(bytes, now)) count += 1;
      return count;
    };
    expect(handled(1)).toBeLessThan(40_000);
    expect(handled(1024)).toBeGreaterThan(500_000);
  });
});
