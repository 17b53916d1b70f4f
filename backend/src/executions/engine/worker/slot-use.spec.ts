import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SlotUse } from './slot-use.js';
import { SlotPool } from '../connections/slots.js';

async function resolved(promise: Promise<void>): Promise<boolean> {
  let done = false;
  void promise.then(() => (done = true));
  await jest.advanceTimersByTimeAsync(0);
  return done;
}

describe('the slot use of a run', () => {
  let over: AbortController;

  beforeEach(() => {
    over = new AbortController();
    jest.useFakeTimers();
  });
  afterEach(() => {
    over.abort();
    jest.useRealTimers();
  });

  it('is quiet when no slot is held for the whole time', async () => {
    const quietEvents = new SlotUse(new SlotPool(1)).waitUntilIdle(0, 5_000, over.signal);
    await jest.advanceTimersByTimeAsync(4_999);
    expect(await resolved(quietEvents)).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(await resolved(quietEvents)).toBe(true);
  });

  it('is not quiet while a slot is held, and the time restarts on release', async () => {
    const use = new SlotUse(new SlotPool(1));
    const quietEvents = use.waitUntilIdle(0, 5_000, over.signal);
    await jest.advanceTimersByTimeAsync(4_000);
    const release = await use.takeSlot('tenant');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await resolved(quietEvents)).toBe(false);
    release?.();
    await jest.advanceTimersByTimeAsync(4_999);
    expect(await resolved(quietEvents)).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(await resolved(quietEvents)).toBe(true);
  });

  it('is not quiet while waiting for a slot, unless the wait is aborted', async () => {
    const slots = new SlotPool(1);
    await slots.takeSlot('another run');
    const use = new SlotUse(slots);
    const quietEvents = use.waitUntilIdle(0, 5_000, over.signal);
    const stop = new AbortController();
    const slotPromise = use.takeSlot('tenant', stop.signal);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await resolved(quietEvents)).toBe(false);
    stop.abort();
    expect(await slotPromise).toBeNull();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await resolved(quietEvents)).toBe(true);
  });

  it('is quiet with as many slots as allowed, and counts a repeated release once', async () => {
    const use = new SlotUse(new SlotPool(3));
    const quietEvents = use.waitUntilIdle(1, 5_000, over.signal);
    const [first, second] = [await use.takeSlot('tenant'), await use.takeSlot('tenant')];
    first?.();
    first?.();
    expect(await resolved(quietEvents)).toBe(false);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await resolved(quietEvents)).toBe(true);
    second?.();
  });

  it('stops waiting when the run is over', async () => {
    const use = new SlotUse(new SlotPool(1));
    const release = await use.takeSlot('tenant');
    const quietEvents = use.waitUntilIdle(0, 5_000, over.signal);
    over.abort();
    expect(await resolved(quietEvents)).toBe(true);
    release?.();
    expect(jest.getTimerCount()).toBe(0);
  });
});
