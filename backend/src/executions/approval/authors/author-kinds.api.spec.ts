import { cp, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, type ApiClient, apiClient } from '../../../../test/support/api-client.js';
import { type ApprovalLab, startApprovalLab } from '../../../../test/support/approval-lab.js';
import { made } from '../../../../test/support/environment-scene.js';
import { eventually } from '../../../../test/support/eventually.js';
import { firedSchedule } from '../../../../test/support/fired-schedule.js';
import { type GitRemotes, startGitRemotes, type TestRepository } from '../../../../test/support/git-remotes.js';
import type { TestMember } from '../../../../test/support/installation.js';
import { RUN_AUTHOR_KINDS } from '../../../common/http/problem.view.js';
import type { GitSourceView } from '../../../git-sources/git-sources.view.js';
import type { ExecutionView } from '../../contract/execution.view.js';
import type { ReviewView } from '../../contract/review.view.js';
import {
  type AuthorKind,
  type ConnectionKind,
  HOST_AUTHOR_RULES,
  LIBRARY_AUTHOR_RULES,
  SNAPSHOT_AUTHOR_RULES,
} from './author-kinds.js';

let remotes: GitRemotes;
let lab: ApprovalLab;
let dataDir: string;
let repository: TestRepository;
let author: TestMember;
/** Member who commits after the author, so that the author's commit is not the last one. */
let other: TestMember;
let sourceId: string;
let planId: string;
let numbered = 0;
const ids: Record<'script' | 'gitScript' | 'template' | 'called' | 'server', string> = {
  ...{ script: '', gitScript: '', template: '', called: '', server: '' },
};

const FOLDER_PLAN = (text: string) =>
  `name: from folder\nsteps:\n  - key: inner\n    command: echo ${text}\n    targets: role=web\n`;
const steps = (text = 'true') => [
  { key: 'one', command: text },
  { key: 'two', type: 'script', scriptId: ids.script },
  { key: 'three', type: 'script', scriptId: ids.gitScript },
  { key: 'four', type: 'template', templateId: ids.template, path: `${lab.evidence}/template` },
  { key: 'five', type: 'file', gitSourceId: sourceId, sourcePath: 'a.conf', path: `${lab.evidence}/file` },
  { key: 'six', type: 'plan', planId: ids.called },
];
const done = async (answer: Promise<Answer>): Promise<void> => {
  const { status, text } = await answer;
  expect([text, status < 300]).toEqual([expect.any(String), true]);
};
async function sync(): Promise<void> {
  await lab.api.post(`/api/git-sources/${sourceId}/sync`);
  await eventually('a sync', async () => {
    const { body } = await lab.api.get<GitSourceView>(`/api/git-sources/${sourceId}`);
    return body.syncRequestedAt === null && !body.syncing && !body.planSyncPending;
  });
}
/** Commits the files and then a change of another member, so that one sync reads both commits. */
async function commit(files: Record<string, string>, by: { author?: string; committer?: string }): Promise<void> {
  numbered += 1;
  await repository.commit(files, { committer: other.email, author: other.email, ...by });
  await repository.commit({ beside: String(numbered) }, { author: other.email, committer: other.email });
  await sync();
}
const set = (what: string, value: string, secret = false) =>
  done(author.api.put(what, { value, ...(secret ? { secret } : {}) }));
const variable = (key: string) => `/api/environments/${lab.environmentId}/variables/${key}`;
const serverVariable = (key: string) => `/api/inventory/servers/${ids.server}/variables/${key}`;
const source = (changes: object) => async () => {
  await done(author.api.patch(`/api/git-sources/${sourceId}`, changes));
  await sync();
};

async function moved(): Promise<void> {
  await cp(repository.folder, `${repository.folder}-moved`, { recursive: true });
  const url = `${remotes.url}/authors.git-moved`;
  await done(author.api.patch(`/api/git-sources/${sourceId}`, { url }));
  await sync();
  await done(lab.api.patch(`/api/git-sources/${sourceId}`, { url: `${remotes.url}/authors.git` }));
  await sync();
}

async function approveAndRun(run: ExecutionView): Promise<void> {
  expect((await lab.approve(run.id)).status).toBe(200);
  expect((await lab.ended(run.id)).status).toBe('SUCCEEDED');
}

beforeAll(async () => {
  remotes = await startGitRemotes();
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'runward-authors-'));
  const settings = {
    RUNWARD_DATA_DIR: dataDir,
    RUNWARD_GIT_CA_FILE: remotes.caFile,
    RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8,::1',
  };
  lab = await startApprovalLab({ settings, hosts: 2, spare: 1 });
  await lab.runward.worker({ dataDir });
  author = await lab.runward.member(lab.admin, 'operator');
  other = await lab.runward.member(lab.admin, 'operator');
  for (const member of [author, other]) await lab.grant(member, 'approve');
  repository = await remotes.repository('authors.git');
  const first = { 'a.sh': 'true\n', 'a.conf': 'x\n', 'plans/folder.yaml': FOLDER_PLAN('a') };
  await repository.commit(first, { author: other.email, committer: other.email });
  const { api } = lab;
  const collectionId = await made(api.post('/api/collections', { name: 'folder' }));
  const folders = [{ path: 'plans', collectionId }];
  const url = `${remotes.url}/authors.git`;
  sourceId = await made(api.post('/api/git-sources', { name: 'authors', url, planFolders: folders }));
  await sync();
  const called = await api.get<{ items: { id: string; name: string }[] }>('/api/plans?q=from folder');
  ids.called = called.body.items[0]?.id ?? '';
  ids.server = lab.servers[0]?.id ?? '';
  ids.script = await made(api.post('/api/scripts', { name: 'own', content: 'exit 0' }));
  const fromGit = { source: { gitSourceId: sourceId, path: 'a.sh' }, interpreter: '/bin/sh' };
  ids.gitScript = await made(api.post('/api/scripts', { name: 'from git', ...fromGit }));
  ids.template = await made(api.post('/api/templates', { name: 'own', content: 'first' }));
  await done(api.put(variable('GONE'), { value: 'x' }));
  await done(api.put(serverVariable('GONE'), { value: 'x' }));
  planId = await made(
    api.post('/api/plans', { name: 'all kinds', environmentId: lab.environmentId, steps: steps(), targets: 'role' }),
  );
  await approveAndRun(await lab.waiting(planId));
}, 120_000);
afterAll(async () => {
  await lab.close();
  await remotes.close();
  await rm(dataDir, { recursive: true, force: true });
});

/**
 * Changes of content that a run reads, by kind. The type requires at least one for each kind;
 * connection-authors.api.spec.ts covers the excluded ones.
 */
const CASES: Record<Exclude<AuthorKind, ConnectionKind>, (readonly [string, () => Promise<unknown>, RegExp])[]> = {
  plan: [
    [
      'a step of the plan',
      () => done(author.api.patch(`/api/plans/${planId}`, { steps: steps('echo other') })),
      /^You saved revision \d+ of the plan "all kinds"/,
    ],
  ],
  script: [
    [
      'a script',
      () => done(author.api.patch(`/api/scripts/${ids.script}`, { content: 'exit 0 # other' })),
      /^You saved revision \d+ of the script "own"/,
    ],
  ],
  template: [
    [
      'a template',
      () => done(author.api.patch(`/api/templates/${ids.template}`, { content: 'second' })),
      /^You saved revision \d+ of the template "own"/,
    ],
  ],
  git_commit: [
    [
      'the file of a git script, as the author of a commit',
      () => commit({ 'a.sh': 'true # one\n' }, { author: author.email }),
      /^You saved a commit of "authors" \([0-9a-f]{12}\)/,
    ],
    [
      'the file of a git script, as the committer of a commit',
      () => commit({ 'a.sh': 'true # two\n' }, { committer: author.email.toUpperCase() }),
      /^You saved a commit of "authors"/,
    ],
    [
      'a file that is put on hosts',
      () => commit({ 'a.conf': 'y\n' }, { author: author.email }),
      /^You saved a commit of "authors"/,
    ],
    [
      'a file in a commit that another one takes back',
      async () => {
        await repository.commit({ 'a.conf': 'z\n' }, { author: author.email, committer: other.email });
        await commit({ 'a.conf': 'y\n' }, {});
      },
      /^You saved a commit of "authors"/,
    ],
    [
      'the file of a called plan in a plan folder, before another member changes it too',
      async () => {
        const by = { author: author.email, committer: author.email };
        await repository.commit({ 'plans/folder.yaml': FOLDER_PLAN('b') }, by);
        await commit({ 'plans/folder.yaml': FOLDER_PLAN('c') }, {});
      },
      /^You saved a commit of "authors"/,
    ],
  ],
  git_source: [
    [
      'the branch of a git source',
      source({ branch: 'main' }),
      /^You saved the address, branch, credential or folders of the git source "authors"/,
    ],
    ['the address of a git source', moved, /^You saved the address/],
    ['the credential of a git source', source({ credential: { token: 'token-of-nobody' } }), /^You saved the address/],
  ],
  environment_variable: [
    ['a variable of the environment', () => set(variable('REGION'), 'eu'), /^You saved the variable "lab \/ REGION"/],
    ['a secret of the environment', () => set(variable('PASS'), 'correct-7431', true), /^You saved the variable/],
    [
      'the lack of a variable of the environment',
      () => done(author.api.delete(variable('GONE'))),
      /^You saved the variable "lab \/ GONE"/,
    ],
  ],
  server_variable: [
    [
      'a variable of a server',
      () => set(serverVariable('RACK'), 'r1'),
      /^You saved the server variable "web-1 \/ RACK"/,
    ],
    [
      'the lack of a variable of a server',
      () => done(author.api.delete(serverVariable('GONE'))),
      /^You saved the server variable "web-1 \/ GONE"/,
    ],
  ],
  server_tag: [
    [
      'a tag of a server',
      () => done(author.api.patch(`/api/inventory/servers/${ids.server}`, { tags: { role: 'web', zone: 'a' } })),
      /^You saved tags of the server "web-1"/,
    ],
    [
      'tags of many servers',
      () => done(author.api.post('/api/inventory/servers/bulk', bulkTags())),
      /^You saved tags of the server "web-/,
    ],
  ],
  server: [
    [
      'the name of a server',
      () => done(author.api.patch(`/api/inventory/servers/${ids.server}`, { name: 'web-one' })),
      /^You saved the server "web-one"/,
    ],
    [
      'the list of hosts, by switching one off',
      () => done(author.api.patch(`/api/inventory/servers/${lab.servers[1]?.id}`, { enabled: false })),
      /^You saved the server "web-2"/,
    ],
    [
      'the list of hosts, by registering one',
      async () => {
        const [spare] = lab.spare;
        const { id } = await lab.server({ name: 'web-3', hostname: spare, tags: { role: 'web' } });
        await done(author.api.patch(`/api/inventory/servers/${id}`, { description: undefined, name: 'web-three' }));
      },
      /^You saved the server "web-three"/,
    ],
  ],
};
const bulkTags = () => ({
  ...{ serverIds: lab.servers.map(({ id }) => id), action: 'change', addTags: { zone: 'b' } },
});

describe('a member who changed content of a run since it last ran approved', () => {
  const cases = Object.entries(CASES).flatMap(([kind, list]) =>
    list.map((each) => [kind as AuthorKind, ...each] as const),
  );

  it.each(cases)('(%s) %s, does not approve it alone', async (kind, _, change, saved) => {
    await change();
    const run = await lab.waiting(planId);
    const { status, body } = await lab.approve(run.id, author.api);
    expect([status, body.code, body.detail]).toEqual([403, 'self_approval', expect.stringMatching(saved)]);
    const { body: review } = await lab.approver.api.get<ReviewView>(`/api/executions/${run.id}/review`);
    const own = review.authors.find((each) => each.user?.id === author.userId);
    expect(own).toMatchObject({ kind, outside: false });
    await approveAndRun(run);
    const again = await lab.waiting(planId);
    expect((await lab.approve(again.id, author.api)).status).toBe(200);
    await lab.ended(again.id);
  });

  it('is found by a rule for every part that runs freeze', async () => {
    const [row] = await lab.runward.database.query<{ parts: string[]; library: string[]; host: string[] }>(
      `select array(select distinct jsonb_object_keys(snapshot) from executions) as parts,
        array(select distinct jsonb_object_keys(snapshot->'library') from executions where snapshot ? 'library') as library,
        array(select distinct jsonb_object_keys(to_jsonb(h)) from execution_hosts h) as host`,
    );
    const known = (rules: object) => Object.keys(rules);
    expect(row?.parts.filter((part) => !known(SNAPSHOT_AUTHOR_RULES).includes(part))).toEqual([]);
    expect(row?.library.filter((part) => !known(LIBRARY_AUTHOR_RULES).includes(part))).toEqual([]);
    const named = [SNAPSHOT_AUTHOR_RULES, LIBRARY_AUTHOR_RULES, HOST_AUTHOR_RULES]
      .flatMap((rules) => Object.values(rules))
      .flat();
    expect(RUN_AUTHOR_KINDS.filter((kind) => !named.includes(kind))).toEqual([]);
  });
});

describe('authors of commits who are not members', () => {
  it('are shown in the evidence, and refused where the environment requires known authors', async () => {
    await commit({ 'a.sh': 'true # three\n' }, { author: 'eve@elsewhere.test', committer: 'eve@elsewhere.test' });
    const run = await lab.waiting(planId);
    const { body } = await lab.approver.api.get<ReviewView>(`/api/executions/${run.id}/review`);
    const unknown = { user: null, statedName: 'Somebody <eve@elsewhere.test>', name: 'authors' };
    expect(body.authors).toMatchObject([{ kind: 'git_commit', ...unknown }]);
    await lab.api.post(`/api/executions/${run.id}/cancel`);
    await lab.policy({ unknownAuthors: 'refuse' });
    const refused = await lab.tryStart(planId, {}, lab.operator.api);
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { code: 'unknown_authors', authors: [unknown], detail: expect.stringContaining('eve@elsewhere.test') },
    ]);
    const dry = await lab.waiting(planId, lab.operator.api, { execution_mode: 'dry_run' });
    expect((await lab.ended(dry.id)).forecast?.obstacles).toContain('unknown_authors');
    await lab.policy({ unknownAuthors: 'show' });
    await approveAndRun(await lab.waiting(planId));
  });

  it('count as unknown when the history no longer contains the commit that ran', async () => {
    await repository.git(['update-ref', 'refs/heads/main', await repository.git(['rev-parse', 'main~1'])]);
    await commit({ 'a.sh': 'true # four\n' }, {});
    await repository.git(['update-ref', '-d', 'refs/heads/main']);
    await commit({ 'a.sh': 'true # five\n' }, {});
    const run = await lab.waiting(planId);
    const { body } = await lab.approver.api.get<ReviewView>(`/api/executions/${run.id}/review`);
    expect(body.authors.map(({ statedName }) => statedName)).toContain(
      'Unknown: the history does not contain the commit that ran before',
    );
    await approveAndRun(run);
  });
});

describe('content of members who may not run in a restricted environment', () => {
  let outsider: TestMember;
  let machine: ApiClient;
  let shared: string;
  let inner: string;

  beforeAll(async () => {
    const { api, environmentId, admin, runward } = lab;
    await lab.policy({ protected: false, access: 'restricted' });
    outsider = await runward.member(admin, 'operator');
    const accountId = await made(api.post('/api/service-accounts', { name: 'pipeline', role: 'operator' }));
    await done(api.put(`/api/environments/${environmentId}/grants/${accountId}`, { level: 'run' }));
    const { body } = await api.post<{ token: string }>(`/api/service-accounts/${accountId}/tokens`, { name: 'ci' });
    machine = apiClient(runward.url, { token: body.token });
    inner = await made(api.post('/api/plans', { name: 'inner', steps: [{ key: 'one', command: 'true' }] }));
    shared = await made(api.post('/api/plans', { name: 'shared', steps: sharedSteps('true') }));
    expect((await begin(author.api)).status).toBe(201);
  });

  const sharedSteps = (text: string) => [
    { key: 'one', command: text },
    { key: 'two', type: 'script', scriptId: ids.script },
    { key: 'three', type: 'script', scriptId: ids.gitScript },
    { key: 'four', type: 'template', templateId: ids.template, path: `${lab.evidence}/template` },
    { key: 'five', type: 'plan', planId: inner },
  ];
  async function begin(api: ApiClient, more: object = {}) {
    const start = { planId: shared, environmentId: lab.environmentId, execution_mode: 'auto', ...more };
    const answer = await api.post<ExecutionView & Refusal>('/api/executions', start);
    if (answer.status === 201) await lab.ended(answer.body.id);
    return answer;
  }
  interface Refusal {
    code: string;
    detail: string;
    acceptAuthors?: string;
    authors: { kind: string; user: { id: string } | null }[];
  }

  it.each([
    ['plan', () => done(outsider.api.patch(`/api/plans/${shared}`, { steps: sharedSteps('echo other') }))],
    ['plan', () => done(outsider.api.patch(`/api/plans/${inner}`, { steps: [{ key: 'one', command: 'echo x' }] }))],
    ['script', () => done(outsider.api.patch(`/api/scripts/${ids.script}`, { content: 'exit 0 # theirs' }))],
    ['template', () => done(outsider.api.patch(`/api/templates/${ids.template}`, { content: 'theirs' }))],
    ['git_commit', () => commit({ 'a.sh': 'true # theirs\n' }, { author: outsider.email })],
  ])('(%s) starts only when a person confirms it by name', async (kind, change) => {
    const before = await begin(author.api);
    expect(before.status).toBe(201);
    await change();
    const refused = await begin(author.api);
    const { code, acceptAuthors, authors, detail } = refused.body;
    expect([refused.status, code, authors]).toMatchObject([
      409,
      'author_not_allowed',
      [{ kind, user: { id: outsider.userId }, outside: true }],
    ]);
    expect(detail).toContain(`acceptAuthors: "${acceptAuthors}"`);
    for (const accept of [undefined, acceptAuthors]) {
      const { status, body } = await begin(machine, { acceptAuthors: accept });
      expect([status, body.code, body.acceptAuthors]).toEqual([409, 'author_not_allowed', undefined]);
      expect(body.detail).toContain('A person who may run there must review it');
    }
    expect((await begin(author.api, { acceptAuthors: '0'.repeat(64) })).status).toBe(409);
    const rerun = { hosts: 'all', snapshot: 'current' };
    const again = await author.api.post<Refusal>(`/api/executions/${before.body.id}/rerun`, rerun);
    expect([again.status, again.body.acceptAuthors]).toEqual([409, acceptAuthors]);
    const dry = await begin(author.api, { execution_mode: 'dry_run' });
    const { forecast } = await lab.get(dry.body.id);
    expect(forecast?.obstacles).toContain('author_not_allowed');
    expect(forecast?.authors?.acceptAuthors).toBe(acceptAuthors);
    const accepted = await begin(author.api, { acceptAuthors });
    expect([accepted.status, accepted.text]).toEqual([201, expect.any(String)]);
    // A service account can also run the plan now, because a person has confirmed its content.
    expect((await begin(machine)).status).toBe(201);
  });

  it('is started by no schedule, even when it came by a commit', async () => {
    const schedule = { name: 'shared', planId: shared, environmentId: lab.environmentId, execution_mode: 'auto' };
    const id = await made(author.api.post('/api/schedules', { ...schedule, cron: '0 0 1 1 *', timeZone: 'UTC' }));
    await commit({ 'a.sh': 'true # by schedule\n' }, { author: outsider.email });
    expect(await firedSchedule(lab, id)).toMatchObject({ outcome: 'refused', reason: { code: 'author_not_allowed' } });
    const { body } = await begin(author.api);
    expect((await begin(author.api, { acceptAuthors: body.acceptAuthors })).status).toBe(201);
    const { executionId } = await firedSchedule(lab, id);
    expect((await lab.ended(executionId ?? '')).status).toBe('SUCCEEDED');
  });
});
