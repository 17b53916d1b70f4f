import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import type { ExecutionView } from '../../src/executions/contract/execution.view.js';
import { type CompositeAction, runAction } from '../support/action-runner.js';
import { type RunLab, startRunLab } from '../support/run-lab.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const read = (file: string) => readFile(path.join(ROOT, file), 'utf8');

/** Creates a file if a script evaluates any part of this text, in any kind of quotes. */
const HOSTILE_VALUE = `$(touch pwned) \`touch pwned\` "; touch pwned; ' ; touch pwned # \${IFS} a[$(touch pwned)] \\`;

let lab: RunLab;
let workspace: string;
/** The packed command line, as published. */
let tarball: string;
let guarded: string;

beforeAll(async () => {
  workspace = await mkdtemp(path.join(os.tmpdir(), 'runward-recipes-'));
  const pack = promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', workspace], {
    cwd: path.join(ROOT, 'cli'),
  });
  lab = await startRunLab({ hosts: 2, spare: 1 });
  tarball = path.join(workspace, (await pack).stdout.trim());
  guarded = (await lab.api.post<{ id: string }>('/api/environments', { name: 'prod', protected: true })).body.id;
  await lab.server({ name: 'gate-1', hostname: lab.spare[0], environmentId: guarded });
  const variables = [
    { name: 'TEXT', type: 'string', default: 'nothing' },
    { name: 'COUNT', type: 'integer', default: 1 },
  ];
  const steps = [
    {
      key: 'write',
      command: `printf '%s' {{ TEXT }} > ${lab.evidence}/text; echo '::add-mask::everything'; exit {{ COUNT }}`,
      okExitCodes: [0, 1],
    },
  ];
  for (const plan of [
    { name: 'deploy', environmentId: lab.environmentId, variables, steps },
    { name: 'deploy prod', environmentId: guarded, steps: [{ key: 'one', command: 'true' }] },
  ])
    expect((await lab.api.post('/api/plans', plan)).status).toBe(201);
  await lab.runward.worker();
});
afterAll(async () => {
  await lab.close();
  await rm(workspace, { recursive: true, force: true });
});
beforeEach(async () => {
  // Cancels paused runs, because a run that waits for approval would block the next one.
  const { body } = await lab.api.get<{ items: ExecutionView[] }>('/api/executions?status=PAUSED');
  for (const { id } of body.items) await lab.api.post(`/api/executions/${id}/cancel`, {});
});

const environment = () => ({ PATH: process.env.PATH ?? '', HOME: workspace });
const runs = async (label: string) =>
  (await lab.api.get<{ items: ExecutionView[] }>(`/api/executions?label=${label}`)).body.items;
const expectNothingCarriedOut = async () => {
  expect((await readdir(workspace, { recursive: true })).filter((name) => name.includes('pwned'))).toEqual([]);
  expect(existsSync('pwned')).toBe(false);
};

describe('the GitHub Action', () => {
  let action: CompositeAction;
  beforeAll(async () => void (action = parse(await read('integrations/github-action/action.yml')) as CompositeAction));
  const run = (inputs: Record<string, string>) =>
    runAction(action, { url: lab.runward.url, token: lab.admin.token, ...inputs }, { workspace, env: environment() });

  it('takes another version of the command line, and reports a download that fails', async () => {
    expect((await run({ plan: 'deploy', 'cli-package': tarball })).code).toBe(0);
    const failed = await run({ plan: 'deploy', url: `${lab.runward.url}/elsewhere` });
    expect([failed.code, failed.log]).toEqual([8, expect.stringContaining('/elsewhere/api/cli/runward.mjs.')]);
  });

  it('passes inputs to scripts only as environment variables', () => {
    expect(action.runs.using).toBe('composite');
    for (const { run: script } of action.runs.steps) expect(script).not.toContain('${{');
    const used = action.runs.steps.flatMap(({ env = {} }) => Object.values(env)).join();
    for (const input of Object.keys(action.inputs)) expect(used).toContain(`\${{ inputs.${input} }}`);
  });

  it('previews, compares and starts exactly the previewed run, with any characters in values', async () => {
    const inputs = {
      plan: 'deploy',
      environment: 'lab',
      variables: `TEXT=${HOSTILE_VALUE}\nCOUNT=0`,
      note: HOSTILE_VALUE,
      labels: `try=action\nodd=${HOSTILE_VALUE}`,
    };
    const { code, outputs, log, summary } = await run({
      ...inputs,
      preview: 'true',
      'max-hosts': '2',
      junit: 'results.xml',
    });
    expect([code, outputs]).toEqual([0, expect.objectContaining({ status: 'SUCCEEDED', 'exit-code': '0' })]);
    expect(await lab.left('text')).toBe(HOSTILE_VALUE);
    const [real, dry] = await runs('try=action');
    expect([dry?.execution_mode, real?.execution_mode, real?.id]).toEqual(['dry_run', 'auto', outputs['run-id']]);
    expect(real).toMatchObject({
      note: HOSTILE_VALUE,
      labels: { 'github/repository': 'acme/shop', 'github/run': '8712', odd: HOSTILE_VALUE },
    });
    expect((await lab.get(real?.id ?? '')).digest).toBe((await lab.get(dry?.id ?? '')).digest);
    expect(summary.match(/\*\*SUCCEEDED\*\*/g)).toHaveLength(2);
    expect(await readFile(path.join(workspace, 'results.xml'), 'utf8')).toContain('<testsuites');
    // Host output must not contain runner commands, which start with two colons.
    const commands = log.split('\n').filter((line) => /^\s*::/.test(line));
    expect(commands.filter((line) => !/^::stop-commands::[0-9a-f-]{36}$|^::[0-9a-f-]{36}::$/.test(line))).toEqual([]);
    expect(log).toContain('web-1 | ::add-mask::everything');
    expect(log).not.toContain(lab.admin.token);
    await expectNothingCarriedOut();
  });

  it('starts nothing when the preview has more or other changes than expected', async () => {
    const few = await run({ plan: 'deploy', labels: 'try=few', preview: 'true', 'max-hosts': '1' });
    expect([few.code, few.log]).toEqual([6, expect.stringContaining('The dry run works on 2 hosts')]);
    expect((await runs('try=few')).map(({ execution_mode }) => execution_mode)).toEqual(['dry_run']);
    const other = await run({ plan: 'deploy', labels: 'try=other', expect: 'a'.repeat(64) });
    expect([other.code, await runs('try=other')]).toEqual([6, []]);
  });

  it('accepts a pending approval as success, and fails when the run fails', async () => {
    const paused = await run({ plan: 'deploy prod' });
    expect([paused.code, paused.outputs.status, paused.outputs.url]).toEqual([
      0,
      'PAUSED',
      expect.stringContaining(paused.outputs['run-id'] ?? '-'),
    ]);
    const failed = await run({ plan: 'deploy', variables: '{"COUNT": 7}' });
    expect([failed.code, failed.outputs.status, failed.outputs['exit-code']]).toEqual([1, 'FAILED', '1']);
    const odd: Record<string, string>[] = [
      { plan: '--help' },
      { plan: HOSTILE_VALUE },
      { plan: 'deploy', environment: HOSTILE_VALUE },
      { plan: 'deploy', mode: HOSTILE_VALUE },
      { plan: 'deploy', preview: 'true', 'max-hosts': 'a[$(touch pwned)]' },
    ];
    for (const inputs of odd) expect([inputs, (await run(inputs)).code]).toEqual([inputs, 2]);
    await expectNothingCarriedOut();
  });
});

/** Runs a script as GitLab's runner does, or a person who copied it. */
async function bash(script: string, env: Record<string, string>): Promise<{ code: number; log: string }> {
  const file = path.join(workspace, 'script.sh');
  await writeFile(file, script);
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', file], {
    cwd: workspace,
    env: { ...environment(), ...env },
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (log += bytes.toString()));
  child.stdin.end();
  const [code] = (await once(child, 'close')) as [number];
  return { code, log };
}

describe('the GitLab template', () => {
  interface Job {
    script: string[];
    variables: Record<string, string>;
    allow_failure: { exit_codes: number };
    artifacts: { reports: { junit: string; dotenv: string } };
  }
  let job: Job;
  beforeAll(
    async () =>
      void (job = (parse(await read('integrations/gitlab/runward.gitlab-ci.yml')) as Record<string, Job>)[
        '.runward'
      ] as Job),
  );
  const run = (variables: Record<string, string>) =>
    bash(job.script.join('\n'), {
      ...{
        CI_PROJECT_PATH: 'acme/shop',
        CI_PIPELINE_ID: '8712',
        RUNWARD_URL: lab.runward.url,
        RUNWARD_TOKEN: lab.admin.token,
      },
      ...job.variables,
      ...variables,
    });

  it('takes another version of the command line, and reports a download that fails', async () => {
    expect((await run({ RUNWARD_PLAN: 'deploy', RUNWARD_CLI_PACKAGE: tarball, CI_PIPELINE_ID: '1' })).code).toBe(0);
    const failed = await run({ RUNWARD_PLAN: 'deploy', RUNWARD_URL: `${lab.runward.url}/elsewhere` });
    expect([failed.code, failed.log]).toEqual([8, expect.stringContaining('/elsewhere/api/cli/runward.mjs.')]);
  });

  it('previews and starts exactly the previewed run, with any characters in values, and stores its reports', async () => {
    const values = {
      RUNWARD_PLAN: 'deploy',
      RUNWARD_ENVIRONMENT: 'lab',
      RUNWARD_VARIABLES: `TEXT=${HOSTILE_VALUE}\nCOUNT=0`,
      RUNWARD_NOTE: `gitlab ${HOSTILE_VALUE}`,
    };
    const { code, log } = await run({ ...values, RUNWARD_PREVIEW: 'true', RUNWARD_MAX_HOSTS: '2' });
    expect([code, await lab.left('text')]).toEqual([0, HOSTILE_VALUE]);
    expect(log).toContain('SUCCEEDED');
    expect((await runs('gitlab/pipeline=8712')).map(({ execution_mode, note }) => [execution_mode, note])).toEqual([
      ['auto', `gitlab ${HOSTILE_VALUE}`],
      ['dry_run', `gitlab ${HOSTILE_VALUE}`],
    ]);
    const { junit, dotenv } = job.artifacts.reports;
    expect(await readFile(path.join(workspace, junit), 'utf8')).toContain('<testsuites');
    expect(await readFile(path.join(workspace, dotenv), 'utf8')).toMatch(/^run_id=\S+\nstatus=SUCCEEDED\n/);
    await expectNothingCarriedOut();
  });

  it('exits with the code of a GitLab warning when the run waits, and fails when the run fails', async () => {
    expect((await run({ RUNWARD_PLAN: 'deploy prod' })).code).toBe(job.allow_failure.exit_codes);
    expect((await run({ RUNWARD_PLAN: 'deploy', RUNWARD_VARIABLES: 'COUNT=7' })).code).toBe(1);
    const few = { RUNWARD_PLAN: 'deploy', RUNWARD_PREVIEW: 'true', RUNWARD_MAX_HOSTS: '0' };
    expect((await run(few)).code).toBe(6);
    expect((await run({ RUNWARD_PLAN: HOSTILE_VALUE, RUNWARD_MODE: 'auto' })).code).toBe(2);
    await expectNothingCarriedOut();
  });
});

describe('the curl commands of the guide', () => {
  let script: string;
  beforeAll(async () => {
    const [, guide = ''] = (await read('docs/ci.md')).split('\n## curl\n');
    const blocks = [...guide.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, block]) => block);
    expect(blocks).toHaveLength(4);
    script = blocks.join('\n');
  });
  const run = (env: Record<string, string>) =>
    bash(script, {
      RUNWARD_URL: lab.runward.url,
      RUNWARD_TOKEN: lab.admin.token,
      VARIABLES: '{}',
      MAX_HOSTS: '2',
      ...env,
    });

  it('preview, compare, start exactly the previewed run and download the report, with any characters in values', async () => {
    const VARIABLES = JSON.stringify({ TEXT: HOSTILE_VALUE, COUNT: 0 });
    const done = await run({ PLAN: 'deploy', ENVIRONMENT: 'lab', VARIABLES });
    expect([done.code, done.log]).toEqual([0, expect.stringContaining('Done.')]);
    expect(await lab.left('text')).toBe(HOSTILE_VALUE);
    expect(done.log).not.toContain(lab.admin.token);
    const paused = await run({ PLAN: 'deploy prod', ENVIRONMENT: 'prod' });
    expect([paused.code, paused.log]).toEqual([0, expect.stringContaining('Waits for approval: http')]);
  });

  it('fail when nothing or something unexpected would happen, and when the run fails', async () => {
    const few = await run({ PLAN: 'deploy', ENVIRONMENT: 'lab', MAX_HOSTS: '1' });
    expect([few.code, few.log]).toEqual([1, expect.stringContaining('nothing was started')]);
    const failed = await run({ PLAN: 'deploy', ENVIRONMENT: 'lab', VARIABLES: '{"COUNT": 7}' });
    expect([failed.code, failed.log]).toEqual([1, expect.stringContaining('"exitCode": 7')]);
    expect((await run({ PLAN: HOSTILE_VALUE, ENVIRONMENT: 'lab' })).code).not.toBe(0);
    await expectNothingCarriedOut();
  });
});
