import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EnvironmentScene, made, makeScene } from '../../test/support/environment-scene.js';
import { eventually } from '../../test/support/eventually.js';
import { type GitRemotes, startGitRemotes, type TestRepository } from '../../test/support/git-remotes.js';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import type { GitSourceView } from './git-sources.view.js';

const ROUTE = '/api/git-sources';
const PLAN = 'steps:\n  - key: one\n    command: "true"\n';

let remotes: GitRemotes;
let runward: Installation;
let admin: TestMember;
let outsider: TestMember;
let grantedMember: TestMember;
let closed: EnvironmentScene;
let repository: TestRepository;
let dataDir: string;
let numbered = 0;

beforeAll(async () => {
  remotes = await startGitRemotes();
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'runward-git-'));
  runward = await startInstallation({
    RUNWARD_DATA_DIR: dataDir,
    RUNWARD_GIT_CA_FILE: remotes.caFile,
    RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8,::1',
  });
  await runward.worker({ dataDir });
  admin = await runward.tenant();
  outsider = await runward.member(admin, 'operator');
  grantedMember = await runward.member(admin, 'operator');
  closed = await makeScene(admin.api, { name: 'closed', environment: { access: 'restricted' } });
  await admin.api.put(`/api/environments/${closed.environmentId}/grants/${grantedMember.userId}`, { level: 'run' });
  repository = await remotes.repository('one.git');
  await repository.commit({ 'a.sh': 'true\n', 'plans/one.yaml': PLAN });
});
afterAll(async () => {
  await runward.close();
  await remotes.close();
  await rm(dataDir, { recursive: true, force: true });
});

const name = () => `rights-${(numbered += 1)}`;
const bound = () => ({ environmentId: closed.environmentId });
async function source(more: object = {}): Promise<string> {
  const id = await made(admin.api.post(ROUTE, { name: name(), url: `${remotes.url}/one.git`, ...more }));
  await eventually(`the sync of ${id}`, async () => {
    const { body } = await admin.api.get<GitSourceView>(`${ROUTE}/${id}`);
    return body.syncRequestedAt === null && !body.syncing;
  });
  return id;
}
const plan = (steps: object[], more: object = {}) =>
  made(admin.api.post('/api/plans', { name: name(), steps: steps.map((step) => ({ key: 'one', ...step })), ...more }));
const fileStep = (gitSourceId: string) => ({ type: 'file', gitSourceId, sourcePath: 'a.sh', path: '/tmp/a' });
const script = (gitSourceId: string) =>
  made(admin.api.post('/api/scripts', { name: name(), source: { gitSourceId, path: 'a.sh' }, interpreter: '/bin/sh' }));
const template = (gitSourceId: string) =>
  made(admin.api.post('/api/templates', { name: name(), source: { gitSourceId, path: 'a.sh' } }));

const USES: [string, () => Promise<string>][] = [
  [
    'a file of a plan that is bound to it',
    async () => {
      const id = await source();
      await plan([fileStep(id)], bound());
      return id;
    },
  ],
  [
    'a script of a plan that is bound to it',
    async () => {
      const id = await source();
      await plan([{ type: 'script', scriptId: await script(id) }], bound());
      return id;
    },
  ],
  [
    'a template of a plan that is bound to it',
    async () => {
      const id = await source();
      await plan([{ type: 'template', templateId: await template(id), path: '/tmp/a' }], bound());
      return id;
    },
  ],
  [
    'a file of a plan that is called by a plan that is called by a plan that is bound to it',
    async () => {
      const id = await source();
      const inner = await plan([fileStep(id)]);
      const middle = await plan([{ type: 'plan', planId: inner }]);
      await plan([{ type: 'plan', planId: middle }], bound());
      return id;
    },
  ],
  [
    'a plan of a folder that is bound to it',
    async () => {
      const collectionId = await made(admin.api.post('/api/collections', { name: name() }));
      const at = `plans/${name()}`;
      await repository.commit({ [`${at}/one.yaml`]: `name: ${name()}\nenvironment: closed\n${PLAN}` });
      const id = await source({ planFolders: [{ path: at, collectionId }] });
      await eventually('the plan of the folder', async () => {
        const { body } = await admin.api.get<GitSourceView>(`${ROUTE}/${id}`);
        return body.planSync?.created === 1;
      });
      return id;
    },
  ],
  [
    'a schedule there of a plan that is bound to no environment',
    async () => {
      const id = await source();
      const planId = await plan([fileStep(id)]);
      const schedule = { name: name(), planId, ...bound(), execution_mode: 'auto', cron: '0 0 1 1 *', timeZone: 'UTC' };
      await made(admin.api.post('/api/schedules', schedule));
      return id;
    },
  ],
  [
    'a run there of a plan that is bound to no environment',
    async () => {
      const id = await source();
      const planId = await plan([fileStep(id)]);
      const start = { planId, ...bound(), execution_mode: 'auto' };
      const run = await made(admin.api.post('/api/executions', start));
      await admin.api.get(`/api/executions/${run}?wait=50&until=finished`);
      return id;
    },
  ],
];

const CHANGES: [
  string,
  (member: TestMember, id: string) => Promise<{ status: number; body: unknown; text: string }>,
][] = [
  ['its address', ({ api }, id) => api.patch(`${ROUTE}/${id}`, { url: `${remotes.url}/other.git` })],
  ['its branch', ({ api }, id) => api.patch(`${ROUTE}/${id}`, { branch: 'other' })],
  ['its credential', ({ api }, id) => api.patch(`${ROUTE}/${id}`, { credential: { token: 'another-token-of-it' } })],
  ['that it has no credential', ({ api }, id) => api.patch(`${ROUTE}/${id}`, { credential: null })],
  ['that it has no host key', ({ api }, id) => api.patch(`${ROUTE}/${id}`, { hostKey: null })],
  ['its folders of plans', ({ api }, id) => api.patch(`${ROUTE}/${id}`, { planFolders: [] })],
  ['that it is there', ({ api }, id) => api.delete(`${ROUTE}/${id}`)],
];

describe('git source whose content runs in an environment', () => {
  it.each(USES)('used by %s can be changed only by members who can run there', async (_, use) => {
    const id = await use();
    for (const [what, change] of CHANGES) {
      const { status, body, text } = await change(outsider, id);
      expect([what, status, (body as { code: string }).code]).toEqual([what, 403, 'grant_required']);
      expect(text).not.toContain('\\"closed');
    }
    expect((await outsider.api.patch(`${ROUTE}/${id}`, { description: 'other' })).status).toBe(200);
    const allowed = await grantedMember.api.patch(`${ROUTE}/${id}`, { branch: 'main' });
    expect([allowed.status, allowed.text]).toEqual([200, expect.any(String)]);
  });

  it('can be changed by every operator if it is unused, or used only where the operator can run', async () => {
    const id = await source();
    expect((await outsider.api.patch(`${ROUTE}/${id}`, { branch: 'main' })).status).toBe(200);
    const open = await makeScene(admin.api, { name: name() });
    await plan([fileStep(id)], { environmentId: open.environmentId });
    expect((await outsider.api.patch(`${ROUTE}/${id}`, { branch: null })).status).toBe(200);
  });

  it('names the closed environment only to members who can see it', async () => {
    const id = await source();
    await plan([fileStep(id)], bound());
    const viewingMember = await runward.member(admin, 'operator');
    await admin.api.put(`/api/environments/${closed.environmentId}/grants/${viewingMember.userId}`, { level: 'view' });
    const answer = await viewingMember.api.patch<{ detail: string }>(`${ROUTE}/${id}`, { branch: 'other' });
    expect(answer.body.detail).toContain('runs in environments: "closed".');
  });
});
