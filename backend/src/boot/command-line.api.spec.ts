import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Installation } from '../../test/support/installation.js';
import { type RunLab, startRunLab } from '../../test/support/run-lab.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const COMPILER = path.join(ROOT, 'node_modules/typescript/bin/tsc');
const STRICT_OPTIONS = [
  ...['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--verbatimModuleSyntax'],
  ...['--module', 'nodenext', '--target', 'es2024', '--types', 'node'],
  ...['--typeRoots', path.join(ROOT, 'node_modules/@types')],
];

/** Uses the types of the package as a project with strict options does. */
const CLIENT_PROGRAM = `import { connect, ProblemError, type Run, toExitCode } from '@runward/client';
const [, , url = '', planId = ''] = process.argv;
const runward = connect({ url, token: process.env.RUNWARD_TOKEN ?? '' });
const { data: me } = await runward.api.GET('/api/auth/me');
const options = { idempotencyKey: 'job-1', deadlineMs: 120_000 };
const request = { planId, execution_mode: 'auto' } as const;
const run: Run = await runward.startAndWait(request, options);
const again = await runward.start(request, options);
const steps: string[] = [];
for await (const { stepKey, status } of runward.results(run.id)) steps.push(stepKey + ' ' + status);
const lines: string[] = [];
for await (const { text } of runward.output(run.id)) lines.push(text);
const error: unknown = await runward.start({ ...request, planId: crypto.randomUUID() }).catch((reason: unknown) => reason);
const problem = error instanceof ProblemError ? [error.status, error.code] : null;
const { status } = run;
const exitCode = toExitCode(run);
console.log(JSON.stringify({ role: me?.role, status, exitCode, steps, lines, repeated: again.id === run.id, problem }));
`;

let lab: RunLab;
let runward: Installation;
beforeAll(async () => {
  lab = await startRunLab();
  runward = lab.runward;
  await runward.worker();
});
afterAll(() => lab.close());

describe('the command line of the service', () => {
  it('is a program of the same version, with its checksum, for callers without a credential', async () => {
    const about = await runward.anonymous.get<{ release: string; sha256: string; bytes: number }>('/api/cli');
    const answer = await fetch(`${runward.url}/api/cli/runward.mjs`);
    expect([about.status, answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      200,
      'text/javascript; charset=utf-8',
    ]);
    const content = Buffer.from(await answer.arrayBuffer());
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect(about.body).toMatchObject({ sha256, bytes: content.length });
    expect((await runward.anonymous.get('/api/cli/runward.mjs.sha256')).text).toBe(`${sha256}  runward.mjs\n`);

    const folder = await mkdtemp(path.join(os.tmpdir(), 'runward-cli-'));
    const file = path.join(folder, 'runward.mjs');
    await writeFile(file, content);
    const { stdout } = await promisify(execFile)(process.execPath, [file, '--version']);
    expect(stdout).toBe(`${about.body.release}\n`);
    await rm(folder, { recursive: true });
  });
});

describe('the TypeScript client of the service', () => {
  it('is a package that npm installs from the service alone, and that runs a plan from strict TypeScript', async () => {
    const about = await runward.anonymous.get<{ sha256: string; bytes: number }>('/api/clients/typescript');
    const address = `${runward.url}/api/clients/typescript/runward-client.tgz`;
    const content = Buffer.from(await (await fetch(address)).arrayBuffer());
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect(about.body).toMatchObject({ sha256, bytes: content.length });

    const { token } = lab.admin;
    const planId = await lab.plan(['echo hello; exit 3']);
    const folder = await mkdtemp(path.join(os.tmpdir(), 'runward-client-'));
    const run = (command: string, ...args: string[]) =>
      promisify(execFile)(command, args, { cwd: folder, env: { ...process.env, RUNWARD_TOKEN: token } });
    await writeFile(path.join(folder, 'package.json'), '{"private": true, "type": "module"}');
    // An unreachable registry: the package must need no other one.
    await run('npm', 'install', '--no-audit', '--no-fund', '--registry', 'http://127.0.0.1:1/', address);
    await writeFile(path.join(folder, 'main.ts'), CLIENT_PROGRAM);
    await run(process.execPath, COMPILER, ...STRICT_OPTIONS, 'main.ts').catch((error: { stdout?: string }) => {
      throw new Error(error.stdout);
    });
    const { stdout } = await run(process.execPath, 'main.js', runward.url, planId);
    expect(JSON.parse(stdout)).toEqual({
      ...{ role: 'admin', status: 'FAILED', exitCode: 1, steps: ['step-1 FAILED'], lines: ['hello'] },
      repeated: true,
      problem: [404, 'not_found'],
    });
    await rm(folder, { recursive: true });
  });
});
