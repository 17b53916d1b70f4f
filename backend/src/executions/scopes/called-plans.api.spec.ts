import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { made } from '../../../test/support/environment-scene.js';
import { eventually } from '../../../test/support/eventually.js';
import { evidenceIn } from '../../../test/support/evidence.js';
import { labWorkers } from '../../../test/support/lab-workers.js';
import { type LabStep, type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { ExecutionView } from '../contract/execution.view.js';

let lab: RunLab;
const { work, workProcess, endWorkers } = labWorkers(() => lab.runward);
const { marks, untilExists, allow } = evidenceIn(() => lab);
const mark = (file: string) => `echo x >> ${lab.evidence}/${file}`;

interface ProblemBody {
  code: string;
  detail: string;
  errors?: { path: string; code: string; message: string }[];
}
type Answered = ExecutionView & ProblemBody;
const web1 = () => lab.servers[0]?.id ?? '';
const text = (id: string, key: string) => lab.text(id, web1(), key);
const call = (planId: string, more: LabStep = {}): LabStep => ({ key: 'deploy', type: 'plan', planId, ...more });
const only = { targets: 'name=web-1' };
const rerun = (id: string, body: object) =>
  lab.api.post<Answered>(`/api/executions/${id}/rerun`, { hosts: 'all', snapshot: 'same', ...body });

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
});
afterEach(() => endWorkers());
afterAll(() => lab.close());

describe('a called plan that has changed', () => {
  it('is rerun unchanged or with its current content', async () => {
    await work();
    const inner = await lab.plan([
      { key: 'first', command: mark('versions') },
      { key: 'say', command: 'echo old' },
    ]);
    const before = await lab.run([call(inner)], only);
    expect(before.status).toBe('SUCCEEDED');
    const patched = await lab.api.patch(`/api/plans/${inner}`, { steps: [{ key: 'say', command: 'echo new' }] });
    expect(patched.status).toBe(200);
    const same = await rerun(before.id, { fromStepKey: 'deploy/say' });
    expect([same.status, same.text]).toEqual([201, expect.any(String)]);
    expect((await lab.settled(same.body.id)).status).toBe('SUCCEEDED');
    expect(await text(same.body.id, 'deploy/say')).toBe('old\n');
    const current = await rerun(before.id, { snapshot: 'current' });
    const ended = await lab.settled(current.body.id);
    expect(ended.steps.map(({ key, path: [part] }) => [key, part?.planRevision])).toEqual([['deploy/say', 2]]);
    expect(await text(ended.id, 'deploy/say')).toBe('new\n');
    expect(await marks('versions')).toHaveLength(1);
  });

  it('changes the digest, so that unreviewed content is not run', async () => {
    await work();
    const inner = await lab.plan(['true']);
    const planId = await lab.plan([call(inner)], only);
    const dry = await lab.start(planId, { execution_mode: 'dry_run' });
    const { digest } = await lab.settled(dry.id);
    await lab.api.patch(`/api/plans/${inner}`, { steps: [{ key: 'other', command: 'false' }] });
    const refused = await lab.tryStart(planId, { expectedDigest: digest });
    expect([refused.status, (refused.body as Answered).code]).toEqual([409, 'digest_changed']);
  });
});

describe('a worker that is killed in a step of a called plan', () => {
  it('is replaced by the next one, which continues with the step and the outputs of the plan', async () => {
    const inner = await lab.plan(
      [
        {
          key: 'make',
          command: `${mark('called')}; ${untilExists('called-go')}; echo id={{ name }} >> $RUNWARD_OUTPUT`,
          outputs: ['id'],
        },
        { key: 'both', command: 'echo {{ steps.make.outputs.id }}' },
      ],
      { variables: [{ name: 'name', type: 'string' }] },
    );
    const steps: LabStep[] = [
      call(inner, { forEach: ['a', 'b'], variables: { name: '{{ item }}' }, outputsFrom: { id: 'make.id' } }),
      { key: 'after', command: 'printf "%s" {{ steps.deploy.outputs.id }}' },
    ];
    const first = await workProcess();
    const { id } = await lab.start(await lab.plan(steps, only));
    await eventually('the first command runs', async () => (await marks('called')).length === 1);
    await first.end('SIGKILL');
    await lab.runward.database.query(`update executions set lease_until = now() - interval '1 second' where id = $1`, [
      id,
    ]);
    await allow('called-go');
    await work();
    const run = await lab.settled(id);
    expect([run.status, run.steps.map(({ key }) => key)]).toEqual([
      'SUCCEEDED',
      ['deploy[0]/make', 'deploy[0]/both', 'deploy[1]/make', 'deploy[1]/both', 'after'],
    ]);
    expect(await text(id, 'deploy[1]/both')).toBe('b\n');
    expect(await text(id, 'after')).toBe('a\nb');
    expect(await marks('called')).toHaveLength(2);
  });
});

describe('values of a called plan', () => {
  it("are the server's where the call sets none, and the call's where it sets them", async () => {
    await work();
    for (const [index, server] of lab.servers.entries())
      await lab.api.put(`/api/inventory/servers/${server.id}/variables/zone`, { value: `zone-${index}` });
    const inner = await lab.plan([{ key: 'say', command: 'echo {{ zone }} $zone' }], {
      variables: [{ name: 'zone', type: 'string', default: 'nowhere' }],
    });
    const run = await lab.run(
      [
        call(inner, { key: 'own' }),
        call(inner, { key: 'given', variables: { zone: 'here' } }),
        call(inner, { key: 'mapped', variables: { zone: '{{ place }}' } }),
      ],
      { variables: [{ name: 'place', type: 'string', default: 'there' }] },
    );
    expect(run.status).toBe('SUCCEEDED');
    const said = async (index: number) =>
      Promise.all(
        ['own', 'given', 'mapped'].map((key) => lab.text(run.id, lab.servers[index]?.id ?? '', `${key}/say`)),
      );
    expect(await said(0)).toEqual(['zone-0 zone-0\n', 'here here\n', 'there there\n']);
    expect(await said(1)).toEqual(['zone-1 zone-1\n', 'here here\n', 'there there\n']);
    for (const { id } of lab.servers) {
      const { headers } = await lab.api.get(`/api/inventory/servers/${id}/variables/zone`);
      await lab.api.delete(`/api/inventory/servers/${id}/variables/zone`, { 'if-match': headers.get('etag') ?? '*' });
    }
  });
});

describe('a file per list item', () => {
  const at = (name: string) => path.join(lab.evidence, name);
  const withItems = async (items: string[]) => {
    const name = `each ${items.join(' ').slice(0, 40)}`;
    const templateId = await made(
      lab.api.post('/api/templates', { name, content: 'site {{ item }} of {{ host.name }}\n' }),
    );
    const step: LabStep = { key: 'site', type: 'template', templateId, path: at('{{ host.name }}-{{ item }}.conf') };
    return lab.plan([{ ...step, forEach: items }], only);
  };

  it('is written to a separate path, which a dry run forecasts', async () => {
    await work();
    await writeFile(at('web-1-shop.conf'), 'site shop of web-1\n');
    const planId = await withItems(['shop', 'blog']);
    const dry = await lab.start(planId, { execution_mode: 'dry_run' });
    expect((await lab.settled(dry.id)).status).toBe('SUCCEEDED');
    const forecasts = (await lab.results(dry.id)).map(({ stepKey, verdict, reason }) => [
      stepKey,
      verdict,
      reason?.text,
    ]);
    expect(forecasts).toEqual([
      ['site[0]', 'NO_CHANGE', expect.stringContaining(at('web-1-shop.conf'))],
      ['site[1]', 'WOULD_CHANGE', expect.stringContaining(at('web-1-blog.conf'))],
    ]);
    expect(await lab.left('web-1-blog.conf')).toBe('');
    const run = await lab.settled((await lab.start(planId)).id);
    expect(run.status).toBe('SUCCEEDED');
    expect(await lab.left('web-1-blog.conf')).toBe('site blog of web-1\n');
    const [same, other] = await lab.results(run.id);
    expect([same?.changed, other?.changed]).toEqual([false, true]);
    expect(other?.diff).toContain(at('web-1-blog.conf'));
  });

  it('is not written when an item leads out of its folder', async () => {
    await work();
    const run = await lab.settled((await lab.start(await withItems(['../../escaped']))).id);
    expect(run.status).toBe('FAILED');
    const [result] = await lab.results(run.id);
    expect(result?.reason?.text).toContain('which is not the whole path of a file on the host');
    expect(await lab.left('../escaped.conf').catch(() => '')).toBe('');
  });
});

describe('a plan of a restricted environment', () => {
  it('can be called from another environment by members who see it, and does not exist for other members', async () => {
    await work();
    const hidden = await made(lab.api.post('/api/environments', { name: 'hidden', access: 'restricted' }));
    const inner = await made(
      lab.api.post('/api/plans', { name: 'bound', environmentId: hidden, steps: [{ key: 'one', command: 'true' }] }),
    );
    const planId = await lab.plan([call(inner)], only);
    expect((await lab.settled((await lab.start(planId)).id)).status).toBe('SUCCEEDED');
    const operator = await lab.runward.member(lab.admin, 'operator');
    const refused = await lab.tryStart(planId, {}, operator.api);
    expect([refused.status, (refused.body as Answered).code]).toEqual([409, 'called_plan_missing']);
    expect(refused.text).not.toContain('bound');
    expect(refused.text).not.toContain(hidden);
  });
});
