import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SlotUse } from './slot-use.js';
import { Slots } from '../connections/slots.js';

/** Whether a promise has resolved by now. */
async function resolved(promise: Promise<void>): Promise<boolean> {
  let done = false;
  void promise.then(() => (done = true));
  await jest.advanceTimersByTimeAsync(0);
  return done;
}

describe('what a run uses of the slots', () => {
  let over: AbortController;

  beforeEach(() => {
    over = new AbortController();
    jest.useFakeTimers();
  });
  afterEach(() => {
    over.abort();
    jest.useRealTimers();
  });

  it('is quiet when nothing is held for the whole time', async () => {
    const quiet = new SlotUse(new Slots(1)).quiet(0, 5_000, over.signal);
    await jest.advanceTimersByTimeAsync(4_999);
    expect(await resolved(quiet)).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(await resolved(quiet)).toBe(true);
  });

  it('is not quiet while a slot is held, and the time begins anew when it is given back', async () => {
    const use = new SlotUse(new Slots(1));
    const quiet = use.quiet(0, 5_000, over.signal);
    await jest.advanceTimersByTimeAsync(4_000);
    const release = await use.take('tenant');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await resolved(quiet)).toBe(false);
    release?.();
    await jest.advanceTimersByTimeAsync(4_999);
    expect(await resolved(quiet)).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(await resolved(quiet)).toBe(true);
  });

  it('is not quiet while a slot is waited for, unless the wait is given up', async () => {
    const slots = new Slots(1);
    await slots.take('another run');
    const use = new SlotUse(slots);
    const quiet = use.quiet(0, 5_000, over.signal);
    const stop = new AbortController();
    const taking = use.take('tenant', stop.signal);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await resolved(quiet)).toBe(false);
    stop.abort();
    expect(await taking).toBeNull();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await resolved(quiet)).toBe(true);
  });

  it('is quiet with a few slots where a few are next to nothing, however often one is given back', async () => {
    const use = new SlotUse(new Slots(3));
    const quiet = use.quiet(1, 5_000, over.signal);
    const [first, second] = [await use.take('tenant'), await use.take('tenant')];
    first?.();
    first?.();
    expect(await resolved(quiet)).toBe(false);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await resolved(quiet)).toBe(true);
    second?.();
  });

  it('is not waited for when the run is over', async () => {
    const use = new SlotUse(new Slots(1));
    const release = await use.take('tenant');
    const quiet = use.quiet(0, 5_000, over.signal);
    over.abort();
    expect(await resolved(quiet)).toBe(true);
    release?.();
    expect(jest.getTimerCount()).toBe(0);
  });
});
