import { describe, expect, it } from '@jest/globals';
import { Pollers } from './pollers.js';

type Handle = (job: string) => Promise<void>;

/** Simulates a queue whose pollers take the jobs that the test hands to them. */
function fakeQueue(slots: number) {
  const polling: { handle: Handle }[] = [];
  const under = new Map<string, () => void>();
  const problems: unknown[] = [];
  const pollers = new Pollers<string>(
    {
      begin: (handle) => {
        const poller = { handle };
        polling.push(poller);
        return Promise.resolve(() => void polling.splice(polling.indexOf(poller), 1));
      },
    },
    slots,
    (job) => new Promise((resolve) => under.set(job, resolve)),
    (problem) => problems.push(problem),
  );
  const taken = new Map<string, Promise<void>>();
  return {
    pollers,
    polling,
    problems,
    /** Hands the job to the poller with this index. */
    take: (at: number, job: string) => void taken.set(job, polling[at]!.handle(job)),
    finish: async (job: string) => {
      under.get(job)!();
      await taken.get(job);
    },
  };
}

describe('the pollers of a queue', () => {
  it('are one while there is nothing to do', async () => {
    const { pollers, polling } = fakeQueue(20);
    await pollers.start();
    expect(polling).toHaveLength(1);
  });

  it('are one more than running jobs, within the slots', async () => {
    const { pollers, polling, take } = fakeQueue(3);
    await pollers.start();
    for (const [at, expected] of [2, 3, 3].entries()) {
      take(at, `job ${at}`);
      expect(polling).toHaveLength(expected);
    }
  });

  it('end with their jobs until one is left', async () => {
    const { pollers, polling, take, finish } = fakeQueue(3);
    await pollers.start();
    take(0, 'a');
    take(1, 'b');
    await finish('a');
    expect(polling).toHaveLength(2);
    await finish('b');
    expect(polling).toHaveLength(1);
  });

  it('keep polling when all slots are in use', async () => {
    const { pollers, polling, take, finish } = fakeQueue(2);
    await pollers.start();
    take(0, 'a');
    take(1, 'b');
    await finish('a');
    expect(polling).toHaveLength(2);
  });

  it('do not grow after the queue has ended', async () => {
    const { pollers, polling, take, finish } = fakeQueue(3);
    await pollers.start();
    pollers.end();
    take(0, 'a');
    expect(polling).toHaveLength(1);
    await finish('a');
    expect(polling).toHaveLength(1);
  });
});
