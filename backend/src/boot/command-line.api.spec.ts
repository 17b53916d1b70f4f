import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation } from '../../test/support/installation.js';

let runward: Installation;
beforeAll(async () => {
  runward = await startInstallation();
});
afterAll(() => runward.close());

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
  it('is a package that npm installs from the service alone, with its checksum', async () => {
    const about = await runward.anonymous.get<{ sha256: string; bytes: number }>('/api/clients/typescript');
    const address = `${runward.url}/api/clients/typescript/runward-client.tgz`;
    const content = Buffer.from(await (await fetch(address)).arrayBuffer());
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect(about.body).toMatchObject({ sha256, bytes: content.length });

    const { token } = await runward.tenant();
    const folder = await mkdtemp(path.join(os.tmpdir(), 'runward-client-'));
    const run = (command: string, ...args: string[]) =>
      promisify(execFile)(command, args, { cwd: folder, env: { ...process.env, RUNWARD_TOKEN: token } });
    await writeFile(path.join(folder, 'package.json'), '{"private": true, "type": "module"}');
    // An unreachable registry: the package must need no other one.
    await run('npm', 'install', '--no-audit', '--no-fund', '--registry', 'http://127.0.0.1:1/', address);
    await writeFile(
      path.join(folder, 'main.js'),
      `import { connect, ProblemError } from '@runward/client';
      const runward = connect({ url: '${runward.url}', token: process.env.RUNWARD_TOKEN });
      const { data } = await runward.api.GET('/api/auth/me');
      const error = await runward.startAndWait({ planId: '${randomUUID()}', execution_mode: 'auto' }).catch((reason) => reason);
      console.log(JSON.stringify([data.role, error instanceof ProblemError, error.status, error.code]));`,
    );
    const { stdout } = await run(process.execPath, 'main.js');
    expect(JSON.parse(stdout)).toEqual(['admin', true, 404, 'not_found']);
    await rm(folder, { recursive: true });
  });
});
