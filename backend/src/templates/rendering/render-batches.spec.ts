import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { RenderBatches } from './template-renderer.js';

const numbers = Array.from({ length: 100 }, (_, index) => index);
const textsOf = (files: { text?: string }[]) => files.map(({ text }) => text);

describe('concurrently requested files', () => {
  it('are rendered in few jobs per template, and each request gets its own file', async () => {
    const jobs: number[] = [];
    const batches = new RenderBatches<number>(
      (content, scopes) => {
        jobs.push(scopes.length);
        return Promise.resolve(scopes.map((scope) => ({ text: `${content} ${scope}` })));
      },
      2,
      () => false,
    );
    const requested = numbers.map((number) => batches.file(number % 2 ? 'odd' : 'even', number));
    const texts = textsOf((await Promise.all(requested)) as { text: string }[]);
    expect(texts).toEqual(numbers.map((number) => `${number % 2 ? 'odd' : 'even'} ${number}`));
    expect(Math.max(...jobs)).toBeLessThanOrEqual(32);
    expect(jobs.length).toBeLessThanOrEqual(8);
  });

  it('are requested again if a job rendered only some of them', async () => {
    const batches = new RenderBatches<number>(
      (_, scopes) => Promise.resolve(scopes.slice(0, 3).map((scope) => ({ text: `${scope}` }))),
      1,
      () => false,
    );
    const files = await Promise.all(numbers.map((number) => batches.file('x', number)));
    expect(textsOf(files as { text: string }[])).toEqual(numbers.map(String));
  });

  it('are rendered one by one after a job was stopped, so that only slow files fail', async () => {
    const batches = new RenderBatches<number>(
      (_, scopes) =>
        scopes.includes(7)
          ? Promise.reject(new Error('ended'))
          : Promise.resolve(scopes.map((scope) => ({ text: `${scope}` }))),
      2,
      () => true,
    );
    const files = await Promise.allSettled(numbers.map((number) => batches.file('x', number)));
    expect(files.flatMap(({ status }, index) => (status === 'rejected' ? index : []))).toEqual([7]);
  });

  describe('during a job', () => {
    /** Each function resolves a running job, oldest job first. */
    const ends: (() => void)[] = [];
    let made = 0;
    let batches: RenderBatches<number>;
    const ask = async (count: number) => {
      for (const number of numbers.slice(0, count)) void batches.file('x', number).then(() => (made += 1));
      await jest.advanceTimersByTimeAsync(1);
    };
    const endAfter = async (ms: number) => {
      await jest.advanceTimersByTimeAsync(ms);
      ends.shift()?.();
      await jest.advanceTimersByTimeAsync(1);
    };
    const start = () => {
      jest.useFakeTimers();
      ends.length = 0;
      made = 0;
      batches = new RenderBatches<number>(
        (_, scopes) => new Promise((end) => ends.push(() => end(scopes.map(() => ({ text: '' }))))),
        2,
        () => false,
        () => Date.now(),
      );
    };
    afterEach(() => {
      jest.useRealTimers();
    });

    it('files wait if jobs are fast; the first job, which starts a thread, does not count', async () => {
      start();
      await ask(100);
      expect(ends.length).toBe(1);
      await endAfter(300);
      expect(ends.length).toBe(1);
      await endAfter(10);
      expect(ends.length).toBe(1);
    });

    it('a second job starts if jobs are slow, until they are fast again', async () => {
      start();
      await ask(100);
      await endAfter(300);
      await endAfter(200);
      expect(ends.length).toBe(2);
      await endAfter(10);
      await ask(100);
      await endAfter(10);
      expect(ends.length).toBe(1);
    });

    it('a second job starts once the first has run for long', async () => {
      start();
      await ask(100);
      expect(ends.length).toBe(1);
      await jest.advanceTimersByTimeAsync(600);
      expect(ends.length).toBe(2);
    });

    it('further jobs run beside a slow one, even if each is fast', async () => {
      start();
      await ask(100);
      await jest.advanceTimersByTimeAsync(600);
      const [slow, ...others] = ends.splice(0);
      for (let begun = others; begun.length > 0; begun = ends.splice(0)) {
        for (const end of begun) end();
        await jest.advanceTimersByTimeAsync(1);
      }
      expect(made).toBe(68);
      slow?.();
      await jest.advanceTimersByTimeAsync(1);
      expect(made).toBe(100);
    });
  });
});
