import { describe, expect, it } from '@jest/globals';
import { SlotPool } from './slots.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

const taken = async (slots: SlotPool, group = 'one'): Promise<() => void> => {
  const release = await slots.takeSlot(group);
  if (!release) throw new Error('No slot was given.');
  return release;
};

describe('slots', () => {
  it('never exceed the configured number', async () => {
    const slots = new SlotPool(3);
    let held = 0;
    let most = 0;
    const use = async () => {
      const release = await taken(slots);
      held += 1;
      most = Math.max(most, held);
      await turn();
      held -= 1;
      release();
    };
    await Promise.all(Array.from({ length: 20 }, use));
    expect([held, most]).toEqual([0, 3]);
  });

  it('are assigned in the order of the requests', async () => {
    const slots = new SlotPool(1);
    const order: number[] = [];
    const use = async (n: number) => {
      const release = await taken(slots);
      order.push(n);
      await turn();
      release();
    };
    await Promise.all([1, 2, 3, 4].map(use));
    expect(order).toEqual([1, 2, 3, 4]);
  });

  it('count a slot once that is released twice', async () => {
    const slots = new SlotPool(1);
    const release = await taken(slots);
    release();
    release();
    await taken(slots);
    let second = false;
    void taken(slots).then(() => (second = true));
    await turn();
    expect(second).toBe(false);
  });

  it('are assigned to groups in turn: a group with many requests does not delay other groups', async () => {
    const slots = new SlotPool(1);
    const order: string[] = [];
    const use = async (group: string) => {
      const release = await taken(slots, group);
      order.push(group);
      await turn();
      release();
    };
    await Promise.all(['many', 'many', 'many', 'many', 'few', 'one', 'few'].map(use));
    expect(order).toEqual(['many', 'many', 'few', 'one', 'many', 'few', 'many']);
  });

  it('are not assigned to a request that was aborted, but to the next one', async () => {
    const slots = new SlotPool(1);
    const release = await taken(slots);
    const leavingMember = new AbortController();
    const left = slots.takeSlot('one', leavingMember.signal);
    const next = slots.takeSlot('one');
    leavingMember.abort();
    expect(await left).toBeNull();
    release();
    expect(await next).not.toBeNull();
    expect(await slots.takeSlot('one', leavingMember.signal)).toBeNull();
  });

  it('can be increased and decreased while some are in use', async () => {
    const slots = new SlotPool(1);
    const begun: string[] = [];
    const releases = new Map<string, () => void>();
    const take = async (name: string): Promise<void> => {
      const release = await slots.takeSlot('tenant');
      begun.push(name);
      if (release) releases.set(name, release);
    };
    const all = ['a', 'b', 'c', 'd'].map(take);
    await Promise.all([all[0]]);
    expect(slots.hasWaiting).toBe(true);
    slots.resize(3);
    await Promise.all([all[1], all[2]]);
    expect(begun).toEqual(['a', 'b', 'c']);
    slots.resize(1);
    releases.get('a')?.();
    releases.get('b')?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toEqual(['a', 'b', 'c']);
    releases.get('c')?.();
    await all[3];
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    expect(slots.hasWaiting).toBe(false);
  });
});
