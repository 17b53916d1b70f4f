import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { ExecutionView } from '../contract/execution.view.js';
import type { PlanView } from '../../plans/plans.view.js';

let lab: RunLab;

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
  await lab.runward.worker();
});
afterAll(() => lab.close());

interface ProblemBody {
  code: string;
  detail: string;
  errors?: { path: string; code: string; message: string }[];
  referrers?: { id: string }[];
}
const keysOf = ({ steps }: ExecutionView) => steps.map(({ key }) => key);
const web1 = () => lab.servers[0]?.id ?? '';
const text = (run: ExecutionView, key: string) => lab.text(run.id, web1(), key);
const call = (planId: string, more: object = {}) => ({ key: 'deploy', type: 'plan' as const, planId, ...more });
const variable = (name: string, type: 'string' | 'list' | 'secret' = 'string', more: object = {}) => ({
  ...{ name, type, required: false },
  ...more,
});

describe('a step that calls a plan', () => {
  it('runs its steps in place, with input values and outputs', async () => {
    const inner = await lab.plan(
      [
        {
          key: 'build',
          command: 'echo v={{ release }} $release n={{ mode }}; echo "id=7" > $RUNWARD_OUTPUT',
          outputs: ['id'],
        },
        { key: 'check', command: 'echo {{ steps.build.outputs.id }}-{{ steps.build.status }}' },
      ],
      { variables: [variable('release'), variable('mode', 'string', { default: 'quick' })] },
    );
    const run = await lab.run(
      [
        { key: 'before', command: 'echo before' },
        call(inner, { variables: { release: '{{ version }}' }, outputsFrom: { number: 'build.id' } }),
        { key: 'after', command: 'echo got {{ steps.deploy.outputs.number }} {{ steps.deploy.status }} [$release]' },
      ],
      { variables: [variable('version', 'string', { default: '1.2' })] },
    );
    expect([run.status, keysOf(run)]).toEqual(['SUCCEEDED', ['before', 'deploy/build', 'deploy/check', 'after']]);
    expect(await text(run, 'deploy/build')).toBe('v=1.2 1.2 n=quick\n');
    expect(await text(run, 'deploy/check')).toBe('7-SUCCEEDED\n');
    expect(await text(run, 'after')).toBe('got 7 SUCCEEDED []\n');
    expect(run.steps.map(({ path }) => path.map(({ key, planRevision }) => [key, planRevision]))).toEqual([
      [],
      [['deploy', 1]],
      [['deploy', 1]],
      [],
    ]);
  });

  it('keeps a passed secret secret', async () => {
    const inner = await lab.plan([{ key: 'show', command: 'echo "$password"; echo {{ password }}' }], {
      variables: [variable('password', 'secret')],
    });
    const planId = await lab.plan([call(inner, { variables: { password: '{{ TOKEN }}' } })], {
      variables: [variable('TOKEN', 'secret')],
    });
    const started = await lab.start(planId, { variables: { TOKEN: 'hunter22-very-secret' } });
    const run = await lab.settled(started.id);
    expect(run.status).toBe('SUCCEEDED');
    expect(await text(run, 'deploy/show')).not.toContain('hunter22');
    expect(JSON.stringify(run)).not.toContain('hunter22');
  });

  it('does nothing when its condition is false, on excluded hosts, and in nested calls', async () => {
    const innermost = await lab.plan([{ key: 'say', command: 'echo {{ word }}' }], { variables: [variable('word')] });
    const middle = await lab.plan([call(innermost, { key: 'inner', variables: { word: '{{ middle }}' } })], {
      variables: [variable('middle')],
    });
    const run = await lab.run([
      call(middle, { variables: { middle: 'deep' }, targets: 'name=web-1' }),
      call(middle, { key: 'never', when: 'host.name == "nobody"', variables: { middle: 'never' } }),
      { key: 'told', command: 'echo {{ steps.never.status }}' },
    ]);
    expect([run.status, keysOf(run)]).toEqual(['SUCCEEDED', ['deploy/inner/say', 'never/inner/say', 'told']]);
    expect(await text(run, 'deploy/inner/say')).toBe('deep\n');
    expect((await lab.results(run.id, 'stepKey=deploy/inner/say')).map(({ serverId }) => serverId)).toEqual([web1()]);
    expect(run.steps[1]?.counts).toMatchObject({ SKIPPED: 2 });
    expect(await text(run, 'told')).toBe('SKIPPED\n');
  });

  it('takes the locks of the called plan and excludes a second run of it', async () => {
    const inner = await lab.plan([{ key: 'wait', type: 'gate', message: 'Go on?' }, 'true'], {
      locks: ['database'],
    });
    const held = await lab.start(await lab.plan([call(inner)]), { targets: 'name=web-1' });
    const other = await lab.plan(['true'], { locks: ['database'] });
    const second = await lab.tryStart(other, { targets: 'name=web-2' });
    expect([second.status, (second.body as unknown as ProblemBody).code]).toEqual([409, 'run_overlap']);
    const same = await lab.tryStart(inner, { targets: 'name=web-2' });
    expect([same.status, (same.body as unknown as ProblemBody).code]).toEqual([409, 'run_overlap']);
    await lab.api.post(`/api/executions/${held.id}/cancel`, {});
    expect((await lab.settled(held.id)).status).toBe('CANCELLED');
  });
});

describe('a step with a list', () => {
  it('runs once per item, for a list in the plan or a variable', async () => {
    const run = await lab.run(
      [
        {
          key: 'fixed',
          command: 'echo {{ item }}; echo "got=$item" > $RUNWARD_OUTPUT',
          outputs: ['got'],
          forEach: ['a b', "it's"],
        },
        { key: 'named', command: 'echo {{ item | upcase }}', forEach: 'names' },
        { key: 'all', command: 'printf "%s" {{ steps.fixed.outputs.got }}; echo; echo {{ steps.named.changed }}' },
      ],
      { variables: [variable('names', 'list', { default: ['x', 'y', 'z'] })] },
    );
    expect([run.status, keysOf(run)]).toEqual([
      'SUCCEEDED',
      ['fixed[0]', 'fixed[1]', 'named[0]', 'named[1]', 'named[2]', 'all'],
    ]);
    expect(await text(run, 'fixed[0]')).toBe('a b\n');
    expect(await text(run, 'fixed[1]')).toBe("it's\n");
    expect(await text(run, 'named[2]')).toBe('Z\n');
    expect(await text(run, 'all')).toBe("a b\nit's\ntrue\n");
    expect(run.steps[1]?.path).toEqual([
      { key: 'fixed', planId: null, planName: null, planRevision: null, item: "it's", index: 1 },
    ]);
  });

  it('calls a plan per item, and runs a handler if any item changed the host', async () => {
    const inner = await lab.plan([{ key: 'say', command: 'echo {{ word }}' }], { variables: [variable('word')] });
    const run = await lab.run([
      call(inner, { forEach: ['one', 'two'], variables: { word: '{{ item }}' } }),
      { key: 'handler', command: 'echo handled', onlyIfChanged: ['deploy'] },
    ]);
    expect([run.status, keysOf(run)]).toEqual(['SUCCEEDED', ['deploy[0]/say', 'deploy[1]/say', 'handler']]);
    expect(await text(run, 'deploy[1]/say')).toBe('two\n');
    expect(await text(run, 'handler')).toBe('handled\n');
  });

  it('is refused at the start if the list is empty or secret', async () => {
    const planId = await lab.plan([{ key: 'each', command: 'echo {{ item }}', forEach: 'names' }], {
      variables: [variable('names', 'list')],
    });
    const none = await lab.tryStart(planId);
    expect([none.status, (none.body as unknown as ProblemBody).code]).toEqual([409, 'list_not_usable']);
    const given = await lab.start(planId, { variables: { names: ['only'] } });
    expect(keysOf(await lab.settled(given.id))).toEqual(['each[0]']);
  });
});

describe('an invalid call', () => {
  it('that forms a cycle is rejected on save, with its path', async () => {
    const a = await lab.plan([{ key: 'one', command: 'true' }]);
    const b = await lab.plan([call(a)]);
    const name = async (id: string) => (await lab.api.get<PlanView>(`/api/plans/${id}`)).body.name;
    const answer = await lab.api.patch<ProblemBody>(`/api/plans/${a}`, { steps: [call(b)] });
    expect([answer.status, answer.body.errors?.[0]]).toMatchObject([
      400,
      {
        path: '/steps/0/planId',
        code: 'circular_call',
        message: expect.stringContaining(`"${await name(a)}" → "${await name(b)}" → "${await name(a)}"`),
      },
    ]);
    const self = await lab.api.patch<ProblemBody>(`/api/plans/${a}`, { steps: [call(a)] });
    expect(self.body.errors?.[0]?.code).toBe('circular_call');
    const gone = await lab.api.delete<ProblemBody>(`/api/plans/${a}`);
    expect([gone.status, gone.body.code, gone.body.referrers?.map(({ id }) => id)]).toEqual([409, 'in_use', [b]]);
  });

  it.each([
    ['an unknown plan', { planId: '01890000-0000-7000-8000-000000000000' }, 404, '/steps/0/planId'],
    ['a variable that the called plan does not have', { variables: { nobody: 'x' } }, 400, '/steps/0/variables/nobody'],
    [
      'a variable that this plan does not have',
      { variables: { word: '{{ nobody }}' } },
      400,
      '/steps/0/variables/word',
    ],
    ['a text around a variable', { variables: { word: 'a {{ own }}' } }, 400, '/steps/0/variables/word'],
    ['a value of another type', { variables: { word: 7 } }, 400, '/steps/0/variables/word'],
    ['a secret in the plan', { variables: { token: 'plain' } }, 400, '/steps/0/variables/token'],
    ['an output that is not there', { outputsFrom: { x: 'say.nothing' } }, 400, '/steps/0/outputsFrom/x'],
    ['a step that is not there', { outputsFrom: { x: 'nobody.id' } }, 400, '/steps/0/outputsFrom/x'],
    ['a field of other steps', { retries: { count: 1 } }, 400, '/steps/0/retries'],
    ['a variable that is no list', { forEach: 'own' }, 400, '/steps/0/forEach'],
    ['an empty list', { forEach: [] }, 400, '/steps/0/forEach'],
  ])('is rejected on save: %s', async (_, more, status, path) => {
    const inner = await lab.plan([{ key: 'say', command: 'echo {{ word }}' }], {
      variables: [variable('word'), variable('token', 'secret')],
    });
    const body = { name: `refused ${Math.random()}`, environmentId: lab.environmentId, variables: [variable('own')] };
    const answer = await lab.api.post<ProblemBody>('/api/plans', { ...body, steps: [call(inner, more)] });
    expect([answer.status, answer.body.errors?.[0]?.path ?? '']).toEqual([status, path]);
  });
});
