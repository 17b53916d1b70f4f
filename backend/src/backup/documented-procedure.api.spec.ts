import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, apiClient } from '../../test/support/api-client.js';
import { builtProgram } from '../../test/support/built-program.js';
import { eventually } from '../../test/support/eventually.js';
import { freePort } from '../../test/support/free-port.js';
import { PROCESS_ADMIN } from '../../test/support/runward-process.js';

const run = promisify(execFile);
const PAGE = path.resolve(import.meta.dirname, '../../../docs/operations.md');

/** Runs the built programs for the commands of the page, because npm would install and build first. */
const NPM = `#!/bin/sh
if [ "$1" = start ]; then exec "${process.execPath}" "${builtProgram('main')}"; fi
[ "$1" = run ] && shift || exit 64
[ "$1" = --silent ] && shift
[ "$1" = admin ] && [ "$2" = -- ] && shift 2 || exit 64
exec "${process.execPath}" "${builtProgram('admin')}" "$@"
`;

let folder: string;
let env: NodeJS.ProcessEnv;
let port: number;
let server: ChildProcess | null = null;
let printed = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'runward-procedure-'));
  await chmod(folder, 0o755);
  const programs = path.join(folder, 'bin');
  await mkdir(programs);
  await writeFile(path.join(programs, 'npm'), NPM, { mode: 0o755 });
  port = await freePort();
  env = {
    PATH: `${programs}:${process.env.PATH}`,
    TMPDIR: tmpdir(),
    RUNWARD_PORT: String(port),
    RUNWARD_WORKERS: '1',
    RUNWARD_ADMIN_EMAIL: PROCESS_ADMIN.email,
    RUNWARD_ADMIN_PASSWORD: PROCESS_ADMIN.password,
    RUNWARD_TENANT: PROCESS_ADMIN.tenant,
  };
});
afterAll(async () => {
  await stop();
  await rm(folder, { recursive: true, force: true });
});

/** Blocks of shell commands in a section of the page. */
async function blocksOf(heading: string): Promise<string[]> {
  const page = await readFile(PAGE, 'utf8');
  const section = page.split(`\n### ${heading}\n`)[1]?.split('\n### ')[0] ?? '';
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, commands]) => commands ?? '');
}
async function blockWith(heading: string, text: string): Promise<string> {
  const block = (await blocksOf(heading)).find((commands) => commands.includes(text));
  if (!block) throw new Error(`${PAGE} has no commands with ${text} under ${heading}.`);
  return block;
}
const shell = async (commands: string): Promise<string> =>
  (await run('sh', ['-ec', commands], { cwd: folder, env })).stdout;

async function start(): Promise<void> {
  const child = spawn('sh', ['-ec', 'exec npm start'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  server = child;
  printed = '';
  child.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  await eventually('Runward is ready', async () => {
    if (child.exitCode !== null) throw new Error(`Runward ended: ${printed}`);
    return (await fetch(`http://127.0.0.1:${port}/api/health/ready`).catch(() => null))?.status === 200;
  });
}
async function stop(): Promise<void> {
  if (!server) return;
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
  server = null;
}
async function signIn(): Promise<ApiClient> {
  const url = `http://127.0.0.1:${port}`;
  const login = await apiClient(url).post('/api/auth/login', PROCESS_ADMIN);
  expect(login.status).toBe(200);
  return apiClient(url, { cookie: (login.headers.get('set-cookie') ?? '').split(';')[0] });
}

describe('the procedure in docs/operations.md', () => {
  it('backs up a running installation, verifies the backup, and restores it after a loss', async () => {
    await start();
    const before = await signIn();
    expect((await before.post('/api/environments', { name: 'kept' })).status).toBe(201);
    expect((await before.post('/api/ssh-keys', { name: 'kept', generate: { type: 'ed25519' } })).status).toBe(201);
    const output = await shell(await blockWith('Backup', 'backup verify'));
    expect(output).toMatch(/runward-monday\.tar is a complete backup of/);
    expect((await before.post('/api/environments', { name: 'lost' })).status).toBe(201);
    await stop();

    const [restore = '', after = ''] = (await blockWith('Restore', 'restore runward-monday.tar')).split('npm start\n');
    expect(await shell(restore)).toMatch(/It is held\./);
    await start();
    expect(printed).toMatch(/This installation is held/);
    const state = await shell(after);
    expect(state).toMatch(/held since/);
    const client = await signIn();
    expect((await client.post('/api/environments', { name: 'refused' })).status).toBe(503);
    // The page lists the commands; the state names those that apply.
    const commands = (await readFile(PAGE, 'utf8')).match(/npm run admin -- resume(?: --as-original)?(?=`)/g) ?? [];
    const command =
      [...new Set(commands)]
        .sort()
        .reverse()
        .find((each) => state.includes(`\`${each}\``)) ?? '';
    expect(await shell(command)).toMatch(/is active/);
    await eventually('it accepts writes', async () => {
      const { status } = await client.post('/api/environments', { name: 'new' });
      return status === 201;
    });
    const { body } = await client.get<{ items: { name: string }[] }>('/api/environments');
    expect(body.items.map(({ name }) => name)).toEqual(expect.arrayContaining(['kept', 'new']));
    expect(body.items.map(({ name }) => name)).not.toContain('lost');
    expect(await shell('npm run admin -- audit verify')).toMatch(/intact/);
  });

  it('seals the master key into a backup, and opens it again', async () => {
    await shell(`cp runward-master.key expected.key`);
    await shell(await blockWith('Backup', '--seal-key-to'));
    expect((await readFile(path.join(folder, 'runward-master.key'), 'utf8')).trim()).toBe(
      (await readFile(path.join(folder, 'expected.key'), 'utf8')).trim(),
    );
  });

  it('writes a backup to standard output', async () => {
    const [piped] = (await blockWith('Backup', '| ssh')).split(' | ssh');
    await shell(`${piped} > piped.tar`);
    expect(await shell('npm run admin -- backup verify piped.tar')).toMatch(/piped\.tar is a complete backup of/);
    expect(await shell('npm run admin -- backup list')).toMatch(/standard output {2}\d+ bytes\n/);
  });
});
