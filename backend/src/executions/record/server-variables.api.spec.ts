import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { formsOf } from '../../../test/support/canaries.js';
import type { Difference } from '../../common/errors/problem.js';
import type { ExecutionView } from '../contract/execution.view.js';
import type { ReviewView } from '../contract/review.view.js';

const SERVER_CANARY = 'canary-of-web-one-5d3f';
const ENVIRONMENT_CANARY = 'canary-of-environment-77a1';

let lab: RunLab;
let web1: string;
let web2: string;

const put = (serverId: string, key: string, body: object) =>
  lab.api.put<{ code: string; detail: string; version: number }>(
    `/api/inventory/servers/${serverId}/variables/${key}`,
    body,
  );
const remove = (serverId: string, key: string) => lab.api.delete(`/api/inventory/servers/${serverId}/variables/${key}`);
const texts = async (run: ExecutionView, stepKey = 'step-1') =>
  Promise.all([web1, web2].map((id) => lab.text(run.id, id, stepKey)));

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
  await lab.runward.worker();
  [web1 = '', web2 = ''] = lab.servers.map(({ id }) => id);
  for (const [key, body] of [
    ['REGION', { value: 'eu' }],
    ['ROLE_NAME', { value: 'shared' }],
    ['TOKEN', { value: ENVIRONMENT_CANARY, secret: true }],
  ] as const)
    await lab.api.put(`/api/environments/${lab.environmentId}/variables/${key}`, body);
  await put(web1, 'NODE_ID', { value: 1 });
  await put(web2, 'NODE_ID', { value: 2 });
  await put(web1, 'ROLE_NAME', { value: "first's" });
  await put(web1, 'TOKEN', { value: SERVER_CANARY, secret: true });
  await put(web2, 'ONLY_HERE', { value: ['a b', 'c'] });
});
afterAll(() => lab.close());

const VARIABLES = [
  { name: 'NODE_ID', type: 'integer', required: true },
  { name: 'ROLE_NAME', type: 'string', default: 'from plan' },
  { name: 'TOKEN', type: 'secret' },
] as const;
const variables = VARIABLES.map((each) => ({ ...each }));

describe('server variables', () => {
  it('override variables of environment and plan, and are overridden by the start', async () => {
    const command = 'echo {{ NODE_ID }} {{ ROLE_NAME }} "$REGION" "${ONLY_HERE:-none}"';
    const run = await lab.run([command], { variables });
    expect(run.status).toBe('SUCCEEDED');
    expect(await texts(run)).toEqual(["1 first's eu none\n", '2 shared eu a b\nc\n']);
    const started = await lab.run([command], { variables, start: { variables: { NODE_ID: 9, ROLE_NAME: 'started' } } });
    expect(await texts(started)).toEqual(['9 started eu none\n', '9 started eu a b\nc\n']);
  });

  it('apply per host to conditions, script arguments, templates and dry-run checks', async () => {
    const scriptId = await created('/api/scripts', { name: 'say', interpreter: 'sh', content: 'echo "said $1"' });
    const templateId = await created('/api/templates', { name: 'conf', content: 'node={{ NODE_ID }}\n' });
    const run = await lab.run(
      [
        { key: 'when', command: 'echo came', when: 'NODE_ID == 2' },
        { key: 'script', type: 'script', scriptId, arguments: ['{{ NODE_ID }}'] },
        { key: 'file', type: 'template', templateId, path: `${lab.evidence}/node.conf`, targets: 'role=db' },
        { key: 'read', command: `cat ${lab.evidence}/node.conf`, targets: 'role=db' },
      ],
      { variables },
    );
    expect(run.status).toBe('SUCCEEDED');
    expect(await texts(run, 'when')).toEqual(['', 'came\n']);
    expect(await texts(run, 'script')).toEqual(['said 1\n', 'said 2\n']);
    expect(await lab.text(run.id, web2, 'read')).toBe('node=2\n');
    const dry = await lab.run(
      [{ command: 'true', check: 'test {{ NODE_ID }} = 1 && exit 0; exit 3', when: 'NODE_ID == 1' }],
      { variables, start: { execution_mode: 'dry_run' } },
    );
    const verdicts = await lab.results(dry.id);
    expect(verdicts.map(({ serverId, verdict }) => [serverId === web1 ? 1 : 2, verdict]).sort()).toEqual([
      [1, expect.stringMatching(/^(WOULD_RUN|WOULD_CHANGE|NO_CHANGE)$/)],
      [2, 'WOULD_SKIP'],
    ]);
  });

  it('are secret on every host of the run when they are secret on one host', async () => {
    const run = await lab.run(
      [
        { command: `printf %s "$TOKEN" > ${lab.evidence}/$NODE_ID.token` },
        { command: `echo "own $TOKEN"; cat ${lab.evidence}/1.token ${lab.evidence}/2.token` },
      ],
      { variables },
    );
    const shown = 'own ‹secret TOKEN›\n‹secret TOKEN›‹secret TOKEN›';
    expect(await texts(run, 'step-2')).toEqual([shown, shown]);
    // Control: each host had its own value.
    expect([await lab.left('1.token'), await lab.left('2.token')]).toEqual([SERVER_CANARY, ENVIRONMENT_CANARY]);
    const heard = [
      await lab.api.get(`/api/executions/${run.id}`),
      await lab.api.get(`/api/executions/${run.id}/review`),
      await lab.api.get(`/api/executions/${run.id}/results`),
      await lab.api.get('/api/audit-logs'),
      await lab.api.get(`/api/inventory/servers/${web1}/variables`),
    ].map(({ text }) => text);
    expect(heard.filter((text) => formsOf(SERVER_CANARY).some((secretForm) => text.includes(secretForm))).length).toBe(
      0,
    );
  });

  it('refuse a start with a missing or mistyped value on a host, and name the host', async () => {
    const planId = await lab.plan(['echo {{ ONLY_HERE }}'], {
      variables: [
        { name: 'ONLY_HERE', type: 'list', required: true },
        { name: 'NODE_ID', type: 'string' },
      ],
    });
    const refused = await lab.tryStart(planId);
    const { errors } = refused.body as unknown as { errors: { path: string; code: string; message: string }[] };
    expect([refused.status, errors.map(({ path, code }) => `${path} ${code}`)]).toEqual([
      400,
      ['/variables/ONLY_HERE required', '/variables/NODE_ID wrong_type', '/variables/NODE_ID wrong_type'],
    ]);
    expect(errors[0]?.message).toContain('"web-1"');
    expect(errors[1]?.message).toContain('"web-1"');
    const narrowed = await lab.tryStart(planId, { targets: 'name=web-2', variables: { NODE_ID: 'x' } });
    expect(narrowed.status).toBe(201);
    await lab.settled(narrowed.body.id);
  });

  it('are part of the digest, and a refused start names the changed one', async () => {
    const planId = await lab.plan(['echo {{ NODE_ID }}'], { variables });
    const dry = await lab.settled((await lab.start(planId, { execution_mode: 'dry_run' })).id);
    const same = await lab.start(planId, { expectedDigest: dry.digest });
    await lab.settled(same.id);
    await put(web2, 'NODE_ID', { value: 22 });
    await put(web1, 'TOKEN', { value: `${SERVER_CANARY}-next`, secret: true });
    const refused = await lab.tryStart(planId, { expectedDigest: dry.digest });
    const body = refused.body as unknown as { code: string; differences: Difference[] };
    expect([refused.status, body.code]).toEqual([409, 'digest_changed']);
    expect(body.differences).toMatchObject([
      { kind: 'secret', name: 'TOKEN of web-1', change: 'changed', before: null, after: null },
      { kind: 'host', name: 'web-2', change: 'changed' },
    ]);
    expect(body.differences[1]?.before).toContain('variable NODE_ID: 2');
    expect(body.differences[1]?.after).toContain('variable NODE_ID: 22');
    const again = await lab.api.post<ExecutionView>(`/api/executions/${same.id}/rerun`, {
      hosts: 'all',
      snapshot: 'same',
    });
    await lab.settled(again.body.id);
    expect(await texts(again.body)).toEqual(['1\n', '2\n']);
    expect(again.body.digest).toBe(dry.digest);
    const current = await lab.api.post<ExecutionView>(`/api/executions/${same.id}/rerun`, {
      hosts: 'all',
      snapshot: 'current',
    });
    await lab.settled(current.body.id);
    expect(await texts(current.body)).toEqual(['1\n', '22\n']);
    const review = await lab.api.get<ReviewView>(`/api/executions/${current.body.id}/review`);
    expect(review.body.differences.map(({ name }) => name)).toEqual(['TOKEN of web-1', 'web-2']);
    expect(review.body.steps[0]).toMatchObject({
      text: "# on web-1\necho '1'\n\n# on web-2\necho '22'",
      rendered: true,
    });
    expect(review.body.hosts).toMatchObject([
      { variables: { NODE_ID: 1 }, secretNames: ['TOKEN'] },
      { variables: { NODE_ID: 22 }, secretNames: [] },
    ]);
    await put(web2, 'NODE_ID', { value: 2 });
  });

  it('give the same result on hosts with equal values, whatever their source', async () => {
    await put(web2, 'TOKEN', { value: `${SERVER_CANARY}-next`, secret: true });
    const run = await lab.run(['printf %s {{ TOKEN }} | sha256sum'], { variables });
    const [one, two] = await texts(run);
    expect(one).toBe(two);
    await remove(web2, 'TOKEN');
  });
});

const created = async (where: string, body: object): Promise<string> =>
  (await lab.api.post<{ id: string }>(where, body)).body.id;
