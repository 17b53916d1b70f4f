import { describe, expect, it } from '@jest/globals';
import { PeerBudget } from './peer-budget.js';

const small = { messages: 1, bytes: 40 };
function countBorne(
  cost: Parameters<PeerBudget['spend']>[0],
  earnBudget: (budget: PeerBudget) => void = () => undefined,
) {
  const budget = new PeerBudget(0);
  let count = 0;
  while (count < 100_000 && budget.spend(cost, 0) === null) {
    count += 1;
    earnBudget(budget);
  }
  return { count, spent: budget.spend(cost, 0) };
}

describe('connection budget', () => {
  it('is exhausted by messages, bytes or key exchanges', () => {
    expect(countBorne(small)).toEqual({ count: 500, spent: 'messages' });
    expect(countBorne({ messages: 1, bytes: 32 * 1024 })).toEqual({ count: 8, spent: 'bytes' });
    expect(countBorne({ ...small, exchange: 1 })).toEqual({ count: 24, spent: 'key exchanges' });
    expect(countBorne({ ...small, exchange: 16 })).toEqual({ count: 1, spent: 'key exchanges' });
  });

  it('never runs out at a steady low rate, such as a keepalive each second', () => {
    const budget = new PeerBudget(0);
    for (let second = 0; second < 10_000; second += 1)
      for (let n = 0; n < 10; n += 1) expect(budget.spend(small, second * 1_000)).toBeNull();
  });

  it('grows with sent and received data, up to its initial size', () => {
    expect(countBorne(small, (budget) => budget.addSent(1)).count).toBe(100_000);
    const exchange = { messages: 4, bytes: 2 * 1024, exchange: 1 };
    expect(countBorne(exchange, (budget) => budget.addReceived(16 * 1024, 0)).count).toBe(100_000);
    expect(countBorne(exchange, (budget) => budget.addReceived(12 * 1024, 0)).spent).not.toBeNull();
    const idle = new PeerBudget(0);
    idle.addSent(1024 * 1024 * 1024);
    expect(idle.spend({ messages: 501, bytes: 0 }, 1_000_000)).toBe('messages');
  });

  it('slows down a host that sends single bytes, not one that sends large packets', () => {
    /** Simulates a host that always has another packet. Returns the number of packets handled in six seconds. */
    const handled = (bytes: number) => {
      const budget = new PeerBudget(0);
      let count = 0;
      // 10 µs per packet
      for (let now = 0; now < 6_000; now += 0.01 + budget.addReceived(bytes, now)) count += 1;
      return count;
    };
    expect(handled(1)).toBeLessThan(40_000);
    expect(handled(1024)).toBeGreaterThan(500_000);
  });
});
