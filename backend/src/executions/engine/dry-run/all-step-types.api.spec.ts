import { chown, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DryLab, startDryLab } from '../../../../test/support/dry-lab.js';
import { changePolicy } from '../../../../test/support/environment-policy.js';
import { made } from '../../../../test/support/environment-scene.js';
import { eventually } from '../../../../test/support/eventually.js';
import { type GitRemotes, startGitRemotes } from '../../../../test/support/git-remotes.js';
import { snapshotOf } from '../../../../test/support/file-snapshot.js';
import type { GitSourceView } from '../../../git-sources/git-sources.view.js';
import { STEP_TYPES, type StepType } from '../../../plans/steps/types/step-types.js';
import type { ExecutionView } from '../../contract/execution.view.js';
import type { HostResultView } from '../../contract/results.view.js';
import { VERDICTS } from '../../lifecycle/statuses.js';

let dry: DryLab;
let remotes: GitRemotes;
let dataDir: string;
let run: ExecutionView;
let cells: Map<string, HostResultView>;
let before: string[];
let after: string[];
let steps: (Record<string, unknown> & { key: string; type: StepType })[];
let keys: string[];

/** One or more example steps per type, with as many changes as possible. A type without an example fails the build. */
const CALLED_TYPES = STEP_TYPES.filter((type) => type !== 'plan');

function examples(
  ids: Record<'scriptId' | 'templateId' | 'gitSourceId' | 'planId', string>,
): Record<StepType, Record<string, unknown>[]> {
  const { lab, sshd } = dry;
  const file = (name: string) => path.join(lab.evidence, name);
  const { templateId, scriptId, gitSourceId, planId } = ids;
  const self = { become: sshd.user };
  return {
    command: [
      { command: `echo changed > ${file('same.conf')}; touch ${file('made')}` },
      { command: `rm -rf ${lab.evidence}/*`, check: `cat ${file('old.conf')}; exit 1` },
      { command: `touch ~/made`, unless: `touch ${file('asked')}`, outputs: ['x'], ...self },
      { command: `touch ${file('never')}`, when: 'host.name == "nobody"' },
    ],
    script: [
      { scriptId, arguments: [file('scripted')] },
      { scriptId, check: 'exit 0', ...self },
    ],
    template: [
      { templateId, path: file('old.conf'), mode: '0777', backup: true, validate: 'touch /tmp/runward-validated %s' },
      { templateId, path: file('new.conf') },
      { templateId, path: file('same.conf') },
      { templateId, path: file('link.conf') },
      { templateId, path: file('no/such/folder.conf') },
      { templateId, path: file('folder'), ...self },
    ],
    file: [
      { gitSourceId, sourcePath: 'app.conf', path: file('old.conf'), mode: '0777', backup: true },
      { gitSourceId, sourcePath: 'app.conf', path: file('from-git.conf'), ...self },
    ],
    wait: [
      { port: 1, timeoutSeconds: 5 },
      { url: 'http://127.0.0.1:1/', timeoutSeconds: 5 },
    ],
    gate: [{ message: 'Is it night?' }],
    plan: [{ planId, forEach: ['one', 'two'], variables: { word: '{{ item }}' } }],
  };
}

beforeAll(async () => {
  remotes = await startGitRemotes();
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'runward-dry-data-'));
  dry = await startDryLab({
    ownUser: true,
    settings: {
      RUNWARD_DATA_DIR: dataDir,
      RUNWARD_GIT_CA_FILE: remotes.caFile,
      RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8,::1',
    },
  });
  const { lab } = dry;
  await lab.runward.worker();
  const script = { name: 's', content: '#!/bin/sh\ntouch "$1" ~/scripted\n' };
  const scriptId = await made(lab.api.post('/api/scripts', script));
  const templateId = await made(
    lab.api.post('/api/templates', { name: 't', content: 'new content of {{ host.name }}\n' }),
  );
  const gitSourceId = await gitSource();
  const { evidence } = lab;
  await writeFile(path.join(evidence, 'old.conf'), 'old\n', { mode: 0o644 });
  await writeFile(path.join(evidence, 'same.conf'), 'new content of one\n', { mode: 0o644 });
  await symlink('old.conf', path.join(evidence, 'link.conf'));
  await mkdir(path.join(evidence, 'folder'));
  if (process.getuid?.() === 0) await chown(path.join(evidence, 'old.conf'), 1, 1);
  const all = (ids: Parameters<typeof examples>[0], types: readonly StepType[]) =>
    types.flatMap((type) => examples(ids)[type].map((step, index) => ({ key: `${type}-${index}`, type, ...step })));
  const ids = { scriptId, templateId, gitSourceId, planId: '' };
  const inner = all(ids, CALLED_TYPES);
  const variables = [{ name: 'word', type: 'string' as const, required: true }];
  steps = all({ ...ids, planId: await dry.plan(inner, { variables }) }, STEP_TYPES);
  keys = steps.flatMap(({ key, type }) =>
    type === 'plan' ? [0, 1].flatMap((item) => inner.map((step) => `${key}[${item}]/${step.key}`)) : [key],
  );
  const planId = await dry.plan(steps, { targets: 'name=one', onFailure: 'continue' });
  // The first dry run leaves the traces of the login itself.
  await dry.dryRun(planId);
  before = await everything();
  run = await dry.dryRun(planId);
  cells = await dry.cells(run.id);
  after = await everything();
});
afterAll(async () => {
  await dry.close();
  await remotes.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function gitSource(): Promise<string> {
  const { api } = dry.lab;
  await (await remotes.repository('files.git')).commit({ 'app.conf': 'from git\n' });
  const id = await made(api.post('/api/git-sources', { name: 'files', url: `${remotes.url}/files.git` }));
  await eventually(
    'the sync',
    async () => (await api.get<GitSourceView>(`/api/git-sources/${id}`)).body.commit !== null,
  );
  return id;
}

async function everything(): Promise<string[]> {
  const { lab, sshd } = dry;
  const home = path.join('/var/lib', sshd.user);
  const { uid } = await stat(home).catch(() => ({ uid: undefined }));
  const own = uid === undefined || uid === process.getuid?.() ? [] : ['/tmp', '/var/tmp', '/dev/shm', '/run/lock'];
  const parts = [
    snapshotOf(lab.evidence),
    ...(own.length > 0 ? [snapshotOf(home)] : []),
    ...own.map((place) => snapshotOf(place, uid)),
  ];
  return (await Promise.all(parts)).flat();
}

describe('a dry run of steps of every type', () => {
  it.each(STEP_TYPES)('has a verdict with its reason for each %s step', (type) => {
    const of = (key: string) => steps.find((step) => step.key === key)?.type ?? 'plan';
    const own = keys.filter((key) => of(key) === type);
    expect(own.length).toBeGreaterThan(0);
    for (const key of own) {
      const prediction = run.summary.steps?.find((step) => step.key === key);
      expect(prediction).toMatchObject({
        type: type === 'plan' ? expect.any(String) : type,
        verdict: expect.any(String),
        reason: { code: expect.any(String), text: expect.stringMatching(/\S/) },
      });
      expect(VERDICTS).toContain(prediction?.verdict);
      if (prediction?.type === 'gate') continue;
      const cell = cells.get(`${key} one`);
      expect(cell).toMatchObject({
        verdict: prediction?.verdict,
        reason: { text: prediction?.reason?.text },
      });
    }
  });

  it('leaves every file of the host unchanged: bytes, mode, owner and time', () => {
    expect(before.length).toBeGreaterThan(5);
    expect(after).toEqual(before);
  });

  it('reports the number of hosts per verdict to programs', () => {
    const counted = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0]));
    for (const { verdict } of cells.values()) if (verdict) counted[verdict] = (counted[verdict] ?? 0) + 1;
    expect(run.summary).toMatchObject({ verdicts: counted, changingHosts: 1, blockedHosts: 1 });
    expect(run.summary.steps?.map(({ key }) => key)).toEqual(keys);
    expect(cells.get('template-0 one')?.verdict).toBe('WOULD_CHANGE');
    expect(cells.get('template-2 one')?.verdict).toBe('NO_CHANGE');
    expect(cells.get('command-3 one')?.verdict).toBe('WOULD_SKIP');
  });

  it('is distinguished from a real run, which has neither verdicts nor a forecast', async () => {
    const planId = await dry.plan([{ key: 'a', command: 'true' }], { targets: 'name=one' });
    const real = await dry.lab.settled((await dry.lab.start(planId)).id);
    expect(real).toMatchObject({ status: 'SUCCEEDED', summary: { verdicts: null, steps: null }, forecast: null });
  });
});

describe('the forecast of a dry run', () => {
  const forecast = async (planId: string) => (await dry.dryRun(planId)).forecast;

  it('reports that nothing is conflicting, or who has to approve', async () => {
    const { lab, environmentId } = dry;
    const planId = await dry.plan([{ key: 'a', command: 'true' }], { targets: 'name=one' });
    expect(await forecast(planId)).toEqual({
      ...{
        obstacles: [],
        approvalRequired: false,
        approval: null,
        authors: null,
        freeze: null,
        window: null,
        conflicts: [],
        hiddenConflicts: 0,
      },
    });
    const other = await lab.runward.member(lab.admin, 'admin');
    await lab.runward.member(lab.admin, 'operator');
    await lab.api.patch(`/api/environments/${environmentId}`, { protected: true, requiredApprovals: 2 });
    const prediction = await forecast(planId);
    expect(prediction).toMatchObject({ obstacles: ['approval'], approvalRequired: true });
    expect(prediction?.approval).toMatchObject({ requiredApprovals: 2, approverCount: 1 });
    const { body: me } = await other.api.get<{ name: string }>('/api/auth/me');
    expect(prediction?.approval?.approvers).toHaveLength(1);
    expect(me).toMatchObject({ ...prediction?.approval?.approvers[0] });
    await changePolicy(lab.api, environmentId, { protected: false, requiredApprovals: 1 });
  });

  it('names the freeze and the conflicting runs of a real run', async () => {
    const { lab } = dry;
    const collectionId = await made(lab.api.post('/api/collections', { name: 'frozen' }));
    const planId = await dry.plan([{ key: 'ask', type: 'gate', message: 'Go on?' }], {
      targets: 'name=one',
      collectionId,
    });
    const waiting = await lab.start(planId);
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await lab.api.patch(`/api/collections/${collectionId}`, { freeze: { reason: 'Release', until } });
    expect(await forecast(planId)).toMatchObject({
      obstacles: ['conflict', 'frozen'],
      freeze: { collectionName: 'frozen', reason: 'Release', until },
      conflicts: [{ executionId: waiting.id }],
    });
    await lab.api.post(`/api/executions/${waiting.id}/cancel`, {});
  });
});
