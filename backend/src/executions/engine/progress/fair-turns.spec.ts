import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../../../test/support/seeded-random.js';
import { createRedactor } from '../../output/redact-secrets.js';
import { NO_OUTPUT } from '../../output/line-assembler.js';
import { FairTurns } from './fair-turns.js';
import { HostOutput } from './host-output.js';

function turnsWithClock() {
  let nowMs = 0;
  const turns = new FairTurns(() => nowMs);
  return { turns, spend: (ms: number) => (nowMs += ms) };
}

describe('turns of the event loop', () => {
  it('serve groups one by one, however many works of one group wait', async () => {
    const { turns } = turnsWithClock();
    const served: string[] = [];
    const wait = (group: string) => turns.waitForTurn(group).then(() => served.push(group));
    await Promise.all([wait('a'), wait('a'), wait('a'), wait('b'), wait('c'), wait('b')]);
    expect(served).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
  });

  it('let the loop handle everything else between two slices of one work', async () => {
    const { turns, spend } = turnsWithClock();
    function* work(): Generator<void, string> {
      for (let step = 0; step < 10; step += 1) {
        spend(6);
        yield;
      }
      return 'done';
    }
    let looks = 0;
    let over = false;
    const look = () => {
      looks += 1;
      if (!over) setImmediate(look);
    };
    setImmediate(look);
    expect(await turns.createShare('a').runInTurns(work())).toBe('done');
    over = true;
    // 60 ms of work, in slices of two steps each.
    expect(looks).toBeGreaterThanOrEqual(4);
  });

  it('have no time left once a turn is spent, and have time again in the next one', async () => {
    const { turns, spend } = turnsWithClock();
    const share = turns.createShare('a');
    share.run(() => spend(9));
    expect(share.isBudgetSpent).toBe(false);
    share.run(() => spend(1));
    expect(share.isBudgetSpent).toBe(true);
    await share.waitForTurn();
    expect(share.isBudgetSpent).toBe(false);
  });

  it('apply backpressure to the host while its output waits for masking, and mask it identically', async () => {
    const { turns, spend } = turnsWithClock();
    const share = turns.createShare('a');
    const random = seededRandom(3);
    const redactor = createRedactor([{ name: 'TOKEN', value: 's3cr3t-value' }]);
    const sink = { scheduleStore: () => undefined, waitUntilStored: () => Promise.resolve() };
    const limits = { headBytes: 1 << 30, tailBytes: 0 };
    const output = new HostOutput('h', sink, redactor, limits, share, {
      stored: NO_OUTPUT,
      before: { stdout: 0, stderr: 0 },
    });
    const text = Buffer.from(random.text(200_000, ['s3cr3t-value', 'a', 'b', '\n']));
    let held = 0;
    for (const piece of random.split(text)) {
      share.run(() => spend(10));
      const pending = output.appendBytes('stdout', piece);
      if (pending) held += 1;
      await pending;
    }
    output.endStreams();
    expect(held).toBeGreaterThan(0);
    const stored = Buffer.concat(output.collectChunks(0).map(({ data }) => data));
    expect(stored.toString()).toBe(redactor.text(text.toString()));
  });
});
