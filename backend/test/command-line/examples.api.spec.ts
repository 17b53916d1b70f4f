import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse, parseDocument } from 'yaml';
import type { ExecutionView } from '../../src/executions/contract/execution.view.js';
import { made } from '../support/environment-scene.js';
import { type RunLab, startRunLab } from '../support/run-lab.js';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../../..');
const EXAMPLES = path.join(ROOT, 'examples');
const read = (file: string, folder = EXAMPLES) => readFileSync(path.join(folder, file), 'utf8');
const filesIn = (folder: string, root = EXAMPLES) =>
  readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();

/** Format and number of servers of each inventory. */
const INVENTORIES: Record<string, [format: string, servers: number]> = {
  'inventories/hosts.ini': ['ansible-ini', 3],
  'inventories/hosts.yaml': ['ansible-yaml', 3],
  'inventories/servers.json': ['json', 2],
  'inventories/ssh_config': ['ssh-config', 3],
};
const PLANS = filesIn('plans');
const DEPLOYMENTS = filesIn('deploy');
const PACKAGING = filesIn('deploy', ROOT);
const CI_JOBS = filesIn('ci');
const CLIENTS = filesIn('clients');

let lab: RunLab;
beforeAll(async () => {
  lab = await startRunLab();
  await lab.runward.worker();
});
afterAll(() => lab.close());

async function importPlan(file: string): Promise<string> {
  const body = { content: read(file), environmentId: lab.environmentId };
  const answer = await lab.api.post<{ plans: { planId: string }[] }>('/api/plans/import', body);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.body.plans[0]?.planId ?? '';
}

/** Answers the gate of a run, and waits for its end. */
async function settled(run: ExecutionView): Promise<ExecutionView> {
  const { body } = await lab.api.get<ExecutionView>(`/api/executions/${run.id}?wait=40&until=settled`);
  if (body.pause?.reason !== 'GATE') return lab.settled(run.id);
  const decision = { stepKey: body.pause.stepKey, action: 'proceed' };
  expect((await lab.api.post(`/api/executions/${run.id}/decisions`, decision)).status).toBe(200);
  return lab.settled(run.id);
}

describe('the examples', () => {
  it('are all listed in their README, and each is of a kind that is tested here', () => {
    const listed = [...read('README.md').matchAll(/\]\(([^.)][^)]*)\)/g)].map(([, file]) => file).sort();
    expect(filesIn('.').filter((file) => file !== 'README.md')).toEqual(listed);
    expect([...PLANS, ...Object.keys(INVENTORIES), ...CI_JOBS, ...CLIENTS, ...DEPLOYMENTS].sort()).toEqual(listed);
  });
});

describe('an example plan', () => {
  const values: Record<string, () => Record<string, unknown>> = {
    'plans/deploy-release.yaml': () => ({ release: '1.2.3', folder: `${lab.evidence}/releases` }),
    'plans/change-a-line.yaml': () => ({ file: `${lab.evidence}/example.conf` }),
  };

  it.each(PLANS)('runs as a dry run and as a run: %s', async (file) => {
    const planId = await importPlan(file);
    for (const execution_mode of ['dry_run', 'auto']) {
      const run = await lab.start(planId, { execution_mode, variables: values[file]?.() ?? {} });
      const { status, statusReason } = await settled(run);
      expect([execution_mode, status, statusReason]).toEqual([execution_mode, 'SUCCEEDED', null]);
    }
  });
});

describe('an example inventory', () => {
  it.each(Object.entries(INVENTORIES))('is imported with all of its servers: %s', async (file, [format, servers]) => {
    const { api } = await lab.runward.tenant(format);
    const environmentId = await made(api.post('/api/environments', { name: 'staging' }));
    const sshKeyId = await made(api.post('/api/ssh-keys', { name: 'deploy', generate: { type: 'ed25519' } }));
    const answer = await api.post('/api/inventory/servers/import?wait=50', {
      ...{ format, content: read(file), environmentId, sshKeyId, source: 'example' },
    });
    expect(answer.body).toMatchObject({ status: 'succeeded', faults: [] });
    const list = await api.get<{ items: object[] }>(`/api/inventory/servers?environmentId=${environmentId}`);
    expect(list.body.items).toHaveLength(servers);
  });
});

describe('an example of a client', () => {
  const commands: Record<string, (file: string) => Promise<string[]>> = {
    'ci/start-and-wait.sh': (file) => Promise.resolve(['bash', file]),
    'clients/start_and_wait.py': (file) => Promise.resolve(['python3', '-B', file]),
    'clients/start-and-wait.go': async (file) => {
      const program = path.join(await mkdtemp(path.join(tmpdir(), 'runward-go-')), 'client');
      const env = { ...process.env, PATH: `${process.env.PATH}:/usr/local/go/bin`, GOTOOLCHAIN: 'local' };
      await run('go', ['build', '-o', program, file], { env });
      return [program];
    },
  };
  const start = ([program = '', ...command]: string[], planId: string, ...variables: string[]) =>
    new Promise<{ code: number; log: string }>((resolve) => {
      const env = { PATH: process.env.PATH, RUNWARD_URL: lab.runward.url, RUNWARD_TOKEN: lab.admin.token };
      const child = execFile(program, [...command, planId, ...variables], { env }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, log: stdout + stderr }),
      );
    });

  it('is tested here', () => {
    expect(Object.keys(commands).sort()).toEqual(
      [...CI_JOBS.filter((file) => file.endsWith('.sh')), ...CLIENTS].sort(),
    );
  });

  it.each(Object.keys(commands))('starts a plan, waits and ends with the exit code of the run: %s', async (file) => {
    const command = await commands[file]!(path.join(EXAMPLES, file));
    const variables = [{ name: 'text', type: 'string' as const, default: 'none' }];
    const planId = await lab.plan([`printf %s {{ text }} > ${lab.evidence}/text`], { variables });
    const succeeded = await start(command, planId, "text=a 'b' $c = d");
    expect(succeeded).toEqual({ code: 0, log: expect.stringMatching(/^http.*\nSUCCEEDED\n$/) });
    expect(await lab.left('text')).toBe("a 'b' $c = d");
    const failed = await start(command, await lab.plan(['echo no space left >&2; exit 3']));
    expect(failed).toEqual({ code: 1, log: expect.stringMatching(/FAILED[^]*no space left/) });
    const waiting = await start(command, await lab.plan([{ key: 'gate', type: 'gate', message: 'Go on?' }]));
    expect(waiting).toEqual({ code: 4, log: expect.stringContaining('PAUSED') });
    const waitingId = /executions\/([\w-]+)/.exec(waiting.log)?.[1] ?? '';
    expect((await lab.api.post(`/api/executions/${waitingId}/cancel`, {})).status).toBeLessThan(300);
    await lab.settled(waitingId);
    const refused = await start(command, 'no-plan');
    expect(refused).toEqual({ code: 1, log: expect.stringContaining('"code":"not_found"') });
    expect(refused.log).not.toContain(lab.admin.token);
  });
});

describe('an example of a CI job', () => {
  it('uses only inputs of the GitHub Action', () => {
    const action = parse(read('integrations/github-action/action.yml', ROOT)) as { inputs: object };
    const { jobs } = parse(read('ci/github-actions.yaml')) as {
      jobs: Record<string, { steps: { uses?: string; with?: object }[] }>;
    };
    const inputs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap((step) => Object.keys(step.with ?? {})));
    expect(inputs.length).toBeGreaterThan(8);
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(inputs));
  });

  it('uses only variables of the GitLab template', () => {
    const template = parse(read('integrations/gitlab/runward.gitlab-ci.yml', ROOT)) as Record<string, object>;
    const known = Object.keys((template['.runward'] as { variables: object }).variables);
    const { preview, deploy } = parse(read('ci/gitlab-ci.yaml'), { merge: true }) as Record<
      string,
      { variables: object }
    >;
    const used = [preview, deploy].flatMap((job) => Object.keys(job?.variables ?? {}));
    expect(used.length).toBeGreaterThan(8);
    expect([...known, 'RUNWARD_URL']).toEqual(expect.arrayContaining(used));
  });
});

describe('an example of an installation', () => {
  const settings = read('docs/settings.md', ROOT);
  /** Variables that the file itself reads. */
  const OWN = ['RUNWARD_HOST_NAME'];

  it.each(DEPLOYMENTS)('names only existing settings: %s', (file) => {
    const used = read(file).match(/\bRUNWARD_[A-Z_]+/g) ?? [];
    expect(used.filter((name) => !OWN.includes(name) && !settings.includes(`\`${name}\``))).toEqual([]);
  });

  it.each(PACKAGING)('of a package names only existing settings: %s', (file) => {
    const used = read(file, ROOT).match(/\bRUNWARD_[A-Z_]+/g) ?? [];
    expect(used.filter((name) => name !== 'RUNWARD_IMAGE' && !settings.includes(`\`${name}\``))).toEqual([]);
  });

  it('extends services of the compose file', () => {
    const { services } = parse(read('deploy/container/compose.yaml', ROOT)) as { services: object };
    const document = parseDocument(read('deploy/compose/compose.yaml'), {
      customTags: [{ tag: '!reset', collection: 'seq' }],
    });
    expect(document.errors).toEqual([]);
    const own = (document.toJS() as { services: Record<string, { extends?: { file: string; service: string } }> })
      .services;
    const extended = Object.values(own).flatMap((service) => (service.extends ? [service.extends] : []));
    expect(extended.map(({ service }) => service)).toEqual(Object.keys(services));
    for (const { file } of extended)
      expect(path.resolve(EXAMPLES, 'deploy/compose', file)).toBe(path.join(ROOT, 'deploy/container/compose.yaml'));
  });

  it('passes the addresses of clients and keeps streams open', () => {
    expect(read('deploy/nginx/nginx.conf')).toMatch(/X-Forwarded-For \$proxy_add_x_forwarded_for;/);
    expect(read('deploy/compose/Caddyfile')).toContain('flush_interval -1');
  });
});
