import { describe, expect, it } from '@jest/globals';
import { Slots } from './slots.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('slots', () => {
  it('never give out more places than there are', async () => {
    const slots = new Slots(3);
    let held = 0;
    let most = 0;
    const use = async () => {
      const release = await slots.take();
      held += 1;
      most = Math.max(most, held);
      await turn();
      held -= 1;
      release();
    };
    await Promise.all(Array.from({ length: 20 }, use));
    expect([held, most]).toEqual([0, 3]);
  });

  it('are given in the order in which they were asked for', async () => {
    const slots = new Slots(1);
    const order: number[] = [];
    const use = async (n: number) => {
      const release = await slots.take();
      order.push(n);
      await turn();
      release();
    };
    await Promise.all([1, 2, 3, 4].map(use));
    expect(order).toEqual([1, 2, 3, 4]);
  });

  it('count a place that is given back twice once', async () => {
    const slots = new Slots(1);
    const release = await slots.take();
    release();
    release();
    await slots.take();
    let second = false;
    void slots.take().then(() => (second = true));
    await turn();
    expect(second).toBe(false);
  });
});
