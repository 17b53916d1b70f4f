import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SharedRechecks } from './shared-rechecks.js';

const RECHECK_MS = 1_000;

describe('rechecks of open streams', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  function counted(answer: () => Promise<void> = () => Promise.resolve()) {
    const question = () => {
      question.times += 1;
      return answer();
    };
    question.times = 0;
    return question;
  }

  it('run once for all streams with one key, and again after each result', async () => {
    const rechecks = new SharedRechecks(RECHECK_MS);
    const recheck = counted();
    for (let stream = 0; stream < 500; stream += 1) rechecks.joinRecheck('token 1', recheck, () => undefined);
    await jest.advanceTimersByTimeAsync(3 * RECHECK_MS);
    expect(recheck.times).toBe(3);
  });

  it('end every stream of the key when they reject, and no stream of other keys', async () => {
    const rechecks = new SharedRechecks(RECHECK_MS);
    const cut: string[] = [];
    const refused = () => Promise.reject(new Error('revoked'));
    for (const name of ['a', 'b']) rechecks.joinRecheck('token 1', refused, () => cut.push(name));
    rechecks.joinRecheck('token 2', counted(), () => cut.push('c'));
    await jest.advanceTimersByTimeAsync(RECHECK_MS);
    expect(cut).toEqual(['a', 'b']);
  });

  it('end with the last stream, and start again with a later one', async () => {
    const rechecks = new SharedRechecks(RECHECK_MS);
    const [first, second] = [counted(), counted()];
    const leave = [0, 1].map(() => rechecks.joinRecheck('token 1', first, () => undefined));
    await jest.advanceTimersByTimeAsync(RECHECK_MS);
    for (const each of leave) each();
    await jest.advanceTimersByTimeAsync(5 * RECHECK_MS);
    expect(first.times).toBe(1);
    rechecks.joinRecheck('token 1', second, () => undefined);
    await jest.advanceTimersByTimeAsync(RECHECK_MS);
    expect([first.times, second.times]).toEqual([1, 1]);
  });

  it('never run twice concurrently, however long they take', async () => {
    const rechecks = new SharedRechecks(RECHECK_MS);
    const never = counted(() => new Promise<void>(() => undefined));
    rechecks.joinRecheck('token 1', never, () => undefined);
    await jest.advanceTimersByTimeAsync(10 * RECHECK_MS);
    expect(never.times).toBe(1);
  });

  it('do not continue for streams that left during one', async () => {
    const rechecks = new SharedRechecks(RECHECK_MS);
    let answer = (): void => undefined;
    const slow = counted(
      () =>
        new Promise<void>((resolve) => {
          answer = resolve;
        }),
    );
    const leave = rechecks.joinRecheck('token 1', slow, () => undefined);
    await jest.advanceTimersByTimeAsync(RECHECK_MS);
    leave();
    answer();
    await jest.advanceTimersByTimeAsync(5 * RECHECK_MS);
    expect(slow.times).toBe(1);
  });
});
