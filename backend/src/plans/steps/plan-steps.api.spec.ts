import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { STEP_DEFAULTS } from './types/step-types.js';

interface Plan {
  id: string;
  steps: { key: string }[];
  errors?: { path: string; code: string; message: string }[];
}

const STEP = { key: 'one', command: 'true' };

let runward: Installation;
let admin: TestMember;
let numbered = 0;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
});
afterAll(() => runward.close());

const post = (fields: object) => {
  numbered += 1;
  return admin.api.post<Plan>('/api/plans', { name: `plan-${numbered}`, ...fields });
};
async function create(fields: object): Promise<Plan> {
  const answer = await post(fields);
  expect({ status: answer.status, errors: answer.body.errors }).toEqual({ status: 201, errors: undefined });
  return answer.body;
}
const patch = ({ id }: Plan, fields: object) => admin.api.patch<Plan>(`/api/plans/${id}`, fields);

describe('step fields', () => {
  const steps = [
    {
      ...STEP_DEFAULTS.command,
      key: 'build',
      name: 'Build',
      command: 'make {{ host.name }}',
      targets: 'role=web',
      timeoutSeconds: 30,
      runOnce: true,
      retries: { count: 2, delaySeconds: 5, backoff: 'exponential' },
      maxFailPercent: 0,
      onFailure: 'continue',
      always: true,
      confirm: true,
      become: 'deploy',
      workingDirectory: '/srv',
      environment: { LANG: 'C' },
      okExitCodes: [0, 2],
      changedExitCodes: [2],
      unless: 'test -e done',
      check: 'make -q',
      idempotent: true,
      outputs: ['version'],
    },
    { ...STEP_DEFAULTS.wait, key: 'up', name: 'Up', port: 443, batch: 2 },
    { ...STEP_DEFAULTS.wait, key: 'page', name: 'Page', url: 'http://localhost/', batch: '50%' },
    { ...STEP_DEFAULTS.gate, key: 'ask', name: 'Ask', message: 'Go on?', placeholder: true },
    {
      ...STEP_DEFAULTS.command,
      key: 'deploy',
      name: 'Deploy',
      command: 'deploy {{ steps.build.outputs.version }}',
      when: 'steps.build.changed',
      onlyIfChanged: ['build'],
    },
  ];
  const limits = {
    maxFailPercent: 20,
    onFailure: 'continue',
    strategy: 'free',
    parallelSafe: true,
    locks: ['db'],
    allowedModes: ['auto'],
  };

  it('are returned as saved, from the plan and its revisions, and can be saved again unchanged', async () => {
    const made = await create({ steps, ...limits });
    expect(made).toMatchObject({ steps, ...limits });
    expect(made.steps).toEqual(steps);
    const { body } = await admin.api.get(`/api/plans/${made.id}/revisions/1`);
    expect(body).toMatchObject({ steps, ...limits });
    const again = await patch(made, { steps: made.steps });
    expect(again.body).toMatchObject({ steps, ...limits, revision: 2 });
    const other = {
      ...{ maxFailPercent: 0, onFailure: 'stop', strategy: 'barrier', parallelSafe: false },
      ...{ locks: [], allowedModes: [] },
    };
    expect((await patch(made, other)).body).toMatchObject({ steps, ...other });
  });

  it('get defaults when they are missing', async () => {
    const made = await create({
      steps: [
        { ...STEP, become: true, retries: { count: 1 } },
        { key: 'two', command: 'true', become: false },
        { key: 'up', type: 'wait', port: 22 },
        { key: 'ask', type: 'gate', message: 'Go?' },
      ],
    });
    expect(made.steps).toEqual([
      {
        ...STEP_DEFAULTS.command,
        ...STEP,
        name: 'one',
        become: 'root',
        retries: { count: 1, delaySeconds: 0, backoff: 'constant' },
      },
      { ...STEP_DEFAULTS.command, key: 'two', name: 'two', command: 'true' },
      { ...STEP_DEFAULTS.wait, key: 'up', name: 'up', port: 22 },
      { ...STEP_DEFAULTS.gate, key: 'ask', name: 'ask', message: 'Go?', placeholder: false },
    ]);
    expect(made).toMatchObject({
      maxFailPercent: 0,
      onFailure: 'stop',
      strategy: 'barrier',
      parallelSafe: false,
      locks: [],
      allowedModes: [],
    });
  });

  it.each<[object, string[]]>([
    [{ type: 'wait', port: 22, command: 'ls', become: true }, ['/steps/0/command', '/steps/0/become']],
    [{ type: 'gate', message: 'Go?', port: 22, outputs: [] }, ['/steps/0/outputs', '/steps/0/port']],
    [{ command: 'ls', message: 'Go?', url: 'http://a' }, ['/steps/0/url', '/steps/0/message']],
  ])('are rejected in steps of another type: %j', async (fields, paths) => {
    const answer = await post({ steps: [{ key: 'odd', ...fields }] });
    expect(answer.status).toBe(400);
    expect(answer.body.errors?.map(({ path }) => path)).toEqual(paths);
    for (const { code, message } of answer.body.errors ?? [])
      expect([code, message]).toEqual(['field_of_other_type', expect.stringMatching(/^Step "odd" has the type /)]);
  });

  it.each<[object, string, string]>([
    [{ batch: 2.5 }, '/steps/0/batch', 'wrong_type'],
    [{ batch: 0 }, '/steps/0/batch', 'invalid_batch'],
    [{ become: 5 }, '/steps/0/become', 'wrong_type'],
    [{ become: '$(id)' }, '/steps/0/become', 'invalid_user'],
    [{ retries: { count: 1, backoff: 'random' } }, '/steps/0/retries/backoff', 'not_allowed_value'],
    [{ retries: {} }, '/steps/0/retries/count', 'required'],
    [{ onFailure: 'retry' }, '/steps/0/onFailure', 'not_allowed_value'],
    [{ environment: { A: 1 } }, '/steps/0/environment', 'wrong_type'],
    [{ okExitCodes: ['0'] }, '/steps/0/okExitCodes', 'wrong_type'],
    [{ command: undefined }, '/steps/0/command', 'required'],
    [{ targets: 'a,!a' }, '/steps/0/targets', 'unreachable_selector'],
  ])('are rejected with %j', async (fields, path, code) => {
    const answer = await post({ steps: [{ ...STEP, ...fields }] });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([expect.objectContaining({ path, code })]);
  });

  it('are rejected with an unknown strategy, and the error lists the valid ones', async () => {
    const answer = await post({ steps: [STEP], strategy: 'linear' });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([
      expect.objectContaining({ path: '/strategy', message: 'strategy must be one of barrier, free.' }),
    ]);
  });
});
