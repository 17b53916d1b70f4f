import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../common/ids.js';
import { made } from '../../../test/support/environment-scene.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import type { ExecutionView } from '../contract/execution.view.js';
import type { ReviewView } from '../contract/review.view.js';

interface ProblemBody {
  code: string;
  errors?: { path: string; code: string; message: string }[];
  referrers?: { type: string; id: string; name: string }[];
  differences?: { kind: string; name: string; change: string; before: string; after: string }[];
}

let runward: Installation;
let admin: TestMember;
let other: TestMember;
let environmentId: string;
let protectedId: string;
let numbered = 0;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  other = await runward.tenant('elsewhere');
  const sshKeyId = await made(admin.api.post('/api/ssh-keys', { name: 'key', generate: { type: 'ed25519' } }));
  environmentId = await made(admin.api.post('/api/environments', { name: 'open' }));
  protectedId = await made(
    admin.api.post('/api/environments', { name: 'guarded', protected: true, allowSelfApproval: true }),
  );
  for (const [id, hostname] of [
    [environmentId, 'a.invalid'],
    [protectedId, 'b.invalid'],
  ]) {
    const server = { name: `server-${hostname}`, hostname, username: 'deploy', sshKeyId, environmentId: id };
    await made(admin.api.post('/api/inventory/servers', server));
    await admin.api.put(`/api/environments/${id}/variables/PASSWORD`, { value: 'hunter22', secret: true });
  }
});
afterAll(() => runward.close());

async function scene(more: object = {}, member = admin) {
  numbered += 1;
  const scriptId = await made(
    member.api.post('/api/scripts', { name: `script-${numbered}`, content: 'echo one "$1"' }),
  );
  const content = 'port={{ port }} {{ PASSWORD }}\n';
  const templateId = await made(member.api.post('/api/templates', { name: `template-${numbered}`, content }));
  const steps = [
    { key: 'run', type: 'script', scriptId, arguments: ['--port={{ port }}', 'two words'] },
    { key: 'write', type: 'template', templateId, path: '/etc/app.conf', mode: '0640', ...more },
  ];
  const variables = [
    { name: 'port', type: 'integer', default: 80 },
    { name: 'PASSWORD', type: 'secret' },
  ];
  const plan = { name: `plan-${numbered}`, steps, variables };
  return { number: numbered, scriptId, templateId, plan };
}
const start = (planId: string, more: object = {}) =>
  admin.api.post<ExecutionView & ProblemBody>('/api/executions', {
    planId,
    environmentId,
    execution_mode: 'dry_run',
    ...more,
  });
const review = async (id: string) => (await admin.api.get<ReviewView>(`/api/executions/${id}/review`)).body;

describe('a plan with scripts and templates', () => {
  it('is returned as saved, with defaults filled in', async () => {
    const { plan, scriptId, templateId } = await scene();
    const { body } = await admin.api.post<{ id: string; steps: object[] }>('/api/plans', plan);
    expect(body.steps).toEqual([
      expect.objectContaining({ type: 'script', scriptId, interpreter: null, okExitCodes: [0], become: null }),
      expect.objectContaining({
        type: 'template',
        templateId,
        owner: null,
        backup: false,
        validate: null,
        unless: null,
      }),
    ]);
    const again = await admin.api.patch<{ steps: object[] }>(`/api/plans/${body.id}`, { steps: body.steps });
    expect([again.status, again.body.steps]).toEqual([200, body.steps]);
  });

  it('is not saved with an unknown ID or an ID of another tenant', async () => {
    const { plan } = await scene();
    const foreign = await scene({}, other);
    const [script, template] = plan.steps;
    for (const id of [newId(), 'malformed', foreign.scriptId]) {
      const answer = await admin.api.post<ProblemBody>('/api/plans', { ...plan, steps: [{ ...script, scriptId: id }] });
      expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([404, '/steps/0/scriptId']);
    }
    for (const id of [newId(), 'malformed', foreign.templateId]) {
      const steps = [script, { ...template, templateId: id }];
      const answer = await admin.api.post<ProblemBody>('/api/plans', { ...plan, steps });
      expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([404, '/steps/1/templateId']);
    }
    expect((await admin.api.get<{ items: object[] }>(`/api/plans?q=${plan.name}`)).body.items).toEqual([]);
  });

  it('is not saved with invalid steps', async () => {
    const { plan } = await scene();
    const [script, template] = plan.steps;
    const refuse = async (step: object) =>
      (await admin.api.post<ProblemBody>('/api/plans', { ...plan, steps: [step] })).body.errors?.map(
        ({ path, code }) => `${path} ${code}`,
      );
    const cases: [object, string][] = [
      [{ ...script, arguments: ['{{ PASSWORD }}'] }, '/steps/0/arguments/0 secret_in_argument'],
      [{ ...script, arguments: ['a', '{{ prot }}'] }, '/steps/0/arguments/1 unknown_variable'],
      [{ ...script, arguments: ['{{ port | shell }}'] }, '/steps/0/arguments/0 unknown_filter'],
      [{ ...script, interpreter: 'sh -e' }, '/steps/0/interpreter invalid_interpreter'],
      [{ ...script, scriptId: undefined }, '/steps/0/scriptId required'],
      [{ ...script, path: '/etc/x' }, '/steps/0/path field_of_other_type'],
      [{ ...template, command: 'true' }, '/steps/0/command field_of_other_type'],
      [{ ...template, outputs: ['x'] }, '/steps/0/outputs field_of_other_type'],
      [{ ...template, templateId: undefined }, '/steps/0/templateId required'],
      [{ ...template, path: undefined }, '/steps/0/path required'],
      [{ ...template, path: 'etc/app' }, '/steps/0/path invalid_path'],
      [{ ...template, path: '/etc/../x' }, '/steps/0/path invalid_path'],
      [{ ...template, path: '/etc/' }, '/steps/0/path invalid_path'],
      [{ ...template, mode: '999' }, '/steps/0/mode invalid_mode'],
      [{ ...template, owner: 'a b' }, '/steps/0/owner invalid_user'],
      [{ ...template, group: '-x' }, '/steps/0/group invalid_user'],
      [{ ...template, validate: 'nginx -t' }, '/steps/0/validate required'],
      [{ ...template, unless: '{{ nothing }}' }, '/steps/0/unless unknown_variable'],
    ];
    for (const [step, problem] of cases) expect(await refuse(step)).toEqual([problem]);
  });

  it('blocks deletion of its scripts and templates while its latest revision uses them', async () => {
    const { plan, scriptId, templateId } = await scene();
    const planId = await made(admin.api.post('/api/plans', plan));
    for (const path of [`/api/scripts/${scriptId}`, `/api/templates/${templateId}`]) {
      const { status, body } = await admin.api.delete<ProblemBody>(path);
      expect([status, body.code, body.referrers]).toEqual([
        409,
        'in_use',
        [{ type: 'plan', id: planId, name: plan.name }],
      ]);
    }
    await admin.api.patch(`/api/plans/${planId}`, { steps: [{ key: 'a', command: 'true' }] });
    expect((await admin.api.delete(`/api/scripts/${scriptId}`)).status).toBe(204);
    await admin.api.delete(`/api/plans/${planId}`);
    expect((await admin.api.delete(`/api/templates/${templateId}`)).status).toBe(204);
  });
});

describe('a start', () => {
  it('freezes the latest revisions, so that later edits do not change the run', async () => {
    const { plan, scriptId, templateId, number } = await scene({ backup: true, validate: 'grep port %s' });
    const planId = await made(admin.api.post('/api/plans', plan));
    await admin.api.patch(`/api/scripts/${scriptId}`, { content: 'echo two "$1"', interpreter: 'bash' });
    const { body: run } = await start(planId, { variables: { port: 8080 } });
    const texts = (await review(run.id)).steps.map(({ text, rendered }) => ({ text, rendered }));
    expect(texts).toEqual([
      { text: `bash script-${number} --port=8080 'two words'\n\necho two "$1"`, rendered: true },
      {
        text: `/etc/app.conf from template-${number}\nmode: 0640\nbackup: yes\nvalidate: grep port %s\n\nport=8080 ‹secret PASSWORD›\n`,
        rendered: true,
      },
    ]);
    await admin.api.patch(`/api/scripts/${scriptId}`, { content: 'echo three', name: `renamed-${number}` });
    await admin.api.patch(`/api/templates/${templateId}`, { content: 'other' });
    const after = await review(run.id);
    expect(after.steps.map(({ text, rendered }) => ({ text, rendered }))).toEqual(texts);
    expect(after.digest).toBe(run.digest);
  });

  it('has another digest when a script or template changed, and reports the differences', async () => {
    const { plan, scriptId, templateId, number } = await scene();
    const planId = await made(admin.api.post('/api/plans', plan));
    const { body: run } = await start(planId);
    const digestExpectation = { expectedDigest: run.digest };
    await admin.api.patch(`/api/scripts/${scriptId}`, { description: 'says more' });
    expect((await start(planId, digestExpectation)).status).toBe(201);
    await admin.api.patch(`/api/scripts/${scriptId}`, { content: 'echo two' });
    await admin.api.patch(`/api/templates/${templateId}`, { content: 'port' });
    const { status, body } = await start(planId, digestExpectation);
    expect([status, body.code, body.differences]).toEqual([
      409,
      'digest_changed',
      [
        {
          ...{ kind: 'script', name: `script-${number}`, change: 'changed' },
          ...{ before: '/bin/sh\necho one "$1"', after: '/bin/sh\necho two' },
        },
        {
          ...{ kind: 'template', name: `template-${number}`, change: 'changed' },
          ...{ before: 'port={{ port }} {{ PASSWORD }}\n', after: 'port' },
        },
      ],
    ]);
  });

  it('is refused when a template cannot be rendered with its values', async () => {
    const { plan, templateId } = await scene();
    const planId = await made(admin.api.post('/api/plans', plan));
    await admin.api.patch(`/api/templates/${templateId}`, { content: 'a\n{{ prot }}' });
    const { status, body } = await start(planId);
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          path: '/variables',
          code: 'command_not_rendered',
          message: expect.stringContaining(
            'Step "write": The template of "/etc/app.conf": Line 2, column 4: there is no value for "prot"',
          ),
        },
      ],
    ]);
    await admin.api.patch(`/api/templates/${templateId}`, { content: '{{ host.name }} {{ steps.run.exitCode }}' });
    const { body: run } = await start(planId);
    expect((await review(run.id)).steps[1]).toMatchObject({
      rendered: false,
      text: expect.stringContaining('{{ host.name }}'),
    });
  });

  it('never shows a secret of a template', async () => {
    const { plan } = await scene();
    const { body: run } = await start(await made(admin.api.post('/api/plans', plan)));
    for (const path of ['', '/review', '/results', '/output']) {
      expect((await admin.api.get(`/api/executions/${run.id}${path}`)).text).not.toContain('hunter22');
    }
  });
});

describe('an approval', () => {
  it('applies to the requested scripts and templates, regardless of edits before and after it', async () => {
    const { plan, scriptId, templateId } = await scene();
    const planId = await made(admin.api.post('/api/plans', plan));
    const { body: run } = await start(planId, { environmentId: protectedId, execution_mode: 'auto' });
    expect(run.status).toBe('PAUSED');
    const texts = (await review(run.id)).steps.map(({ text }) => text);
    const edit = async (content: string) => {
      await admin.api.patch(`/api/scripts/${scriptId}`, { content });
      await admin.api.patch(`/api/templates/${templateId}`, { content });
    };
    await edit('between request and approval');
    const seen = await review(run.id);
    expect([seen.digest, seen.steps.map(({ text }) => text)]).toEqual([run.digest, texts]);
    const approved = await admin.api.post<ExecutionView>(`/api/executions/${run.id}/approve`, { digest: run.digest });
    expect([approved.status, approved.body.status, approved.body.digest]).toEqual([200, 'PENDING', run.digest]);
    await edit('between approval and run');
    const kept = await review(run.id);
    expect([kept.digest, kept.steps.map(({ text }) => text)]).toEqual([run.digest, texts]);
  });
});
