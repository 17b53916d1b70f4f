import { afterAll, describe, expect, it } from '@jest/globals';
import { countTurns } from '../../../test/support/turns.js';
import { JobEndedError, ThreadPool } from '../../common/threads/thread-pool.js';
import { TemplateRenderer } from '../../templates/rendering/template-renderer.js';
import { LoopAllowance, REQUEST_OPERATIONS, StepRenderer, createTextEvaluator, TextQueue } from './step-renderer.js';
import type { CommandValue } from './render-command.js';
import answerInThread from './text-thread.js';
import type { TextTask } from './text-task.js';

const VALUES: CommandValue[] = [
  { name: 'word', value: 'x', secret: false },
  { name: 'token', value: 'hunter2', secret: true },
];
const HOST = { host: { name: 'web', tags: {} }, steps: {} };
const loops = (count: number) =>
  `{% for i in (1..${count}) %}{% for j in (1..${count}) %}{{ j }}{% endfor %}{% endfor %}`;

const pool = new ThreadPool();
const renderer = new StepRenderer(pool, new TemplateRenderer(pool));
afterAll(() => pool.onModuleDestroy());

function watched(inThread: (tasks: readonly TextTask[]) => unknown = answerInThread) {
  const jobs: (readonly TextTask[])[] = [];
  let here = 0;
  const queue = new TextQueue(
    {
      getLoopAllowance: () => REQUEST_OPERATIONS - here,
      spendLoopAllowance: (operations) => (here += operations),
      mostOperations: 1_000_000,
      isLate: () => false,
      mostJobs: 1,
    },
    async (tasks) => {
      jobs.push(tasks);
      return (await inThread(tasks)) as ReturnType<typeof answerInThread>;
    },
  );
  return { texts: createTextEvaluator(queue), jobs, here: () => here };
}

describe('texts of a plan', () => {
  it('are rendered in threads if expensive, with the same result', async () => {
    const texts = renderer.createStepRendering({ tenantId: 'acme', asks: 'request' });
    const [command, argument, path, needs, isTrue] = await Promise.all([
      texts.text('command', `echo ${loops(100)} {{ word }} {{ token }}`, VALUES),
      texts.text('argument', `${loops(60)}{{ host.name }}`, VALUES, HOST),
      texts.text('path', '/srv/{% for i in (1..1000) %}{{ i }}{% endfor %}', VALUES),
      texts.needs('command', `${'{{ word }}'.repeat(2000)} {{ host.name }}`, VALUES),
      texts.decide(`word == "x"${' and word'.repeat(150)}`, { values: VALUES, facts: HOST }),
    ]);
    expect(command.slice(-20)).toBe(`'99''100' 'x' "\${token}"`.slice(-20));
    expect(argument.slice(-7)).toBe('5960web');
    expect(path.slice(0, 8)).toBe('/srv/123');
    expect(needs).toEqual({ host: true, steps: false });
    expect(isTrue).toBe(true);
  });

  it('are rejected in threads with the same message', async () => {
    const texts = renderer.createStepRendering({ tenantId: 'acme', asks: 'request' });
    await expect(texts.text('command', `${loops(100)}{{ none }}`, VALUES)).rejects.toMatchObject({
      code: 'unknown_variable',
      message: expect.stringContaining('the plan has no variable "none"'),
    });
    await expect(texts.text('command', loops(900), VALUES)).rejects.toMatchObject({
      code: 'too_much',
      message: expect.stringContaining('more than 500,000 operations'),
    });
  });

  it('are rendered on the event loop if cheap', async () => {
    const { texts, jobs } = watched();
    for (let index = 0; index < 200; index += 1) await texts.text('command', `echo {{ word }} ${index}`, VALUES);
    expect(jobs).toEqual([]);
  });

  it('use the event loop only up to the limit of a request', async () => {
    const { texts, jobs, here } = watched();
    const asked = Array.from({ length: 400 }, (_, index) =>
      texts.text('command', `${index} ${'{{ word }}'.repeat(index % 2 ? 150 : 1)}`, VALUES),
    );
    const turns = await countTurns(() => Promise.all(asked));
    expect(here()).toBeLessThan(1.1 * REQUEST_OPERATIONS);
    expect(turns).toBeGreaterThan(4);
    expect(jobs.length).toBeGreaterThan(2);
    expect(jobs.length).toBeLessThan(100);
    await expect(Promise.all(asked)).resolves.toHaveLength(400);
  });

  it('are sent to threads without values of secrets', async () => {
    const { texts, jobs } = watched();
    expect(await texts.text('command', `${loops(60)} {{ token }}`, VALUES)).toContain('"${token}"');
    expect(jobs).toHaveLength(1);
    expect(JSON.stringify(jobs)).not.toContain('hunter2');
  });

  it('are rejected if together they exceed the limit of a request', async () => {
    const { texts } = watched();
    const one = async () => texts.text('command', loops(200), VALUES).then(() => 'rendered', String);
    const ends = [];
    for (let index = 0; index < 12; index += 1) ends.push(await one());
    expect(ends[0]).toBe('rendered');
    expect(ends.at(-1)).toContain('more than 1,000,000 operations');
  });

  it('do not fail if another text ends their thread', async () => {
    const { texts } = watched((tasks) => {
      if (tasks.some(({ text }) => text.startsWith('bad'))) throw new JobEndedError('memory');
      return answerInThread(tasks);
    });
    const asked = ['good', 'bad', 'fine'].map((name) =>
      texts.text('command', `${name} ${loops(60)}`, VALUES).then(
        (text) => text.slice(0, 4),
        (error: Error) => error.message,
      ),
    );
    expect(await Promise.all(asked)).toEqual(['good', 'Rendering this text takes too much memory.', 'fine']);
  });
});

describe('event loop budget of a tenant', () => {
  it('is shared by all requests and restored over time', () => {
    let now = 0;
    const loopAllowance = new LoopAllowance(() => now);
    const all = loopAllowance.getRemaining('a');
    loopAllowance.take('a', all);
    expect([loopAllowance.getRemaining('a'), loopAllowance.getRemaining('b')]).toEqual([0, all]);
    now += 100;
    expect(loopAllowance.getRemaining('a')).toBeGreaterThan(0);
    now += 10_000;
    expect(loopAllowance.getRemaining('a')).toBe(all);
  });
});
