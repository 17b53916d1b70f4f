import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';

/** As slow as a template can be: the engine stops it after a second. */
const HEAVY =
  '{% for a in (1..1000) %}{% for b in (1..1000) %}{% for c in (1..1000) %}{% endfor %}{% endfor %}{% endfor %}';
const LIGHT_CONTENT = 'listen 8080;';

interface CreatedRecord {
  id: string;
}

let runward: Installation;
let hog: TestMember;
let other: TestMember;

beforeAll(async () => {
  // A small pool detects requests that keep a connection while they wait for a thread.
  runward = await startInstallation({}, { poolSize: 4 });
  hog = await runward.tenant('hog');
  other = await runward.tenant('other');
});
afterAll(() => runward.close());

async function make(member: TestMember, path: string, body: object): Promise<string> {
  const { status, body: made, text } = await member.api.post<CreatedRecord>(path, body);
  if (status !== 201) throw new Error(text);
  return made.id;
}

/** Creates a template, and a plan that uses the template and can be started. */
async function createPlan(member: TestMember, content: string) {
  const environmentId = await make(member, '/api/environments', { name: 'e' });
  const sshKeyId = await make(member, '/api/ssh-keys', { name: 'k', generate: { type: 'ed25519' } });
  const server = { name: 'a', hostname: 'a.invalid', username: 'a', sshKeyId, environmentId };
  await make(member, '/api/inventory/servers', server);
  const templateId = await make(member, '/api/templates', { name: 't', content });
  const steps = [{ key: 'file', type: 'template', templateId, path: '/tmp/x' }];
  const planId = await make(member, '/api/plans', { name: 'p', environmentId, steps, parallelSafe: true });
  return { environmentId, templateId, planId };
}

describe('40 slow templates of one tenant', () => {
  it('delay another tenant by its turn at most, and block no reads of the API', async () => {
    const [heavy, light] = [await createPlan(hog, HEAVY), await createPlan(other, LIGHT_CONTENT)];
    let done = 0;
    const render = () =>
      hog.api.post(`/api/templates/${heavy.templateId}/render`, { environmentId: heavy.environmentId });
    const start = () => hog.api.post('/api/executions', { planId: heavy.planId, execution_mode: 'auto' });
    const burst = Array.from({ length: 40 }, (_, index) =>
      (index % 2 ? start() : render()).then(({ status }) => {
        if (status !== 429) done += 1;
        return status;
      }),
    );
    const reads = await Promise.all(
      ['plans', 'templates', 'executions', 'environments'].flatMap((list) =>
        [hog, other].map((member) => member.api.get(`/api/${list}`).then(({ status }) => status)),
      ),
    );
    expect(reads).toEqual(reads.map(() => 200));
    const environmentId = light.environmentId;
    const rendered = await other.api.post(`/api/templates/${light.templateId}/render`, { environmentId });
    const started = await other.api.post('/api/executions', { planId: light.planId, execution_mode: 'auto' });
    expect([rendered.status, started.status]).toEqual([200, 201]);
    // Each rendering takes a second, so the other tenant's three renderings waited for at most 20 of them.
    expect(done).toBeLessThanOrEqual(20);
    const statuses = await Promise.all(burst);
    expect(statuses.filter((status) => ![400, 429, 503].includes(status))).toEqual([]);
    expect(statuses).toContain(400);
    expect(statuses).toContain(429);
  });

  it('leave the API usable', async () => {
    expect((await hog.api.get('/api/templates')).status).toBe(200);
    expect((await hog.api.post('/api/templates', { name: 'after', content: LIGHT_CONTENT })).status).toBe(201);
  });
});

describe('start of a plan while its template changes', () => {
  it('refuses or accepts, and accepts only a template that renders', async () => {
    const member = await runward.tenant('third');
    const { templateId, planId } = await createPlan(member, LIGHT_CONTENT);
    const saves = async () => {
      for (let round = 0; round < 20; round += 1)
        await member.api.patch(`/api/templates/${templateId}`, { content: `${LIGHT_CONTENT} ${round}` });
      await member.api.patch(`/api/templates/${templateId}`, { content: '{{ undefined_here }}' });
    };
    const starts = Array.from({ length: 8 }, () =>
      member.api.post<{ code?: string }>('/api/executions', { planId, execution_mode: 'dry_run' }),
    );
    const [, ...answers] = await Promise.all([saves(), ...starts]);
    for (const { status, body } of answers) {
      if (status !== 201) expect(['changed_meanwhile', 'invalid_request']).toContain(body.code);
    }
    const late = await member.api.post<{ errors: { code: string }[] }>('/api/executions', {
      planId,
      execution_mode: 'auto',
    });
    expect([late.status, late.body.errors?.[0]?.code]).toEqual([400, 'command_not_rendered']);
  });
});
