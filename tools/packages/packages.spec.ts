import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { releaseChangelog, requireNextVersion } from '../../scripts/lib/changelog.mjs';
import * as deb from './kinds/deb.mjs';
import * as sbom from './kinds/sbom.mjs';
import * as tarball from './kinds/tarball.mjs';
import { createTree } from './tree.mjs';

const run = promisify(execFile);
const VERSION = '1.2.3';
const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'amd64';
const START_LIMIT_MS = 60_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'runward-packages-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

describe('an installation', () => {
  /** Without Node.js and npm: only the programs of a bare system. */
  const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
  let tree: string;
  let port: number;
  let server: ChildProcess;
  let output = '';
  const environment = () => ({
    ...ENVIRONMENT,
    RUNWARD_PORT: String(port),
    RUNWARD_DATA_DIR: path.join(folder, 'data'),
    RUNWARD_WORKERS: '1',
  });
  const runward = (...args: string[]) => run(path.join(tree, 'bin/runward'), args, { env: environment() });

  beforeAll(async () => {
    tree = path.join(folder, 'tree');
    await createTree(tree, VERSION, ARCHITECTURE);
    port = await freePort();
    server = spawn(path.join(tree, 'bin/runward'), ['start'], { env: environment(), cwd: folder });
    for (const stream of [server.stdout, server.stderr])
      stream?.on('data', (text: Buffer) => (output += text.toString()));
    const deadline = Date.now() + START_LIMIT_MS;
    while (!output.includes('Runward is ready at')) {
      if (server.exitCode !== null || Date.now() > deadline) throw new Error(`It did not start:\n${output}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });
  afterAll(async () => {
    if (server.exitCode !== null) return;
    server.kill('SIGTERM');
    await once(server, 'exit');
  });

  it('serves the API, the dashboard, the command line and the client', async () => {
    const [, email, password] = /Sign in as (\S+) with the password (\S+)/.exec(output) ?? [];
    const url = `http://127.0.0.1:${port}`;
    const login = await fetch(`${url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    expect(login.status).toBe(200);
    expect(await (await fetch(url)).text()).toContain('<div id="root">');
    const commandLine = await (await fetch(`${url}/api/cli/runward.mjs`)).text();
    expect(commandLine.split('\n')[0]).toContain('#!');
  });

  it('is administered by its own command', async () => {
    expect((await runward('admin', 'tenant', 'list')).stdout).toContain('main');
    expect((await runward('admin', '--help')).stdout).toContain('Usage: runward admin');
    expect((await runward('run', '--help')).stdout).toContain('Usage: runward run');
  });

  it('contains no package for developers and no other copy of Node.js', async () => {
    for (const name of ['jest', 'typescript', 'vite', `node-linux-${process.arch}`])
      await expect(access(path.join(tree, 'node_modules', name))).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await run(path.join(tree, 'node/bin/node'), ['--version'])).stdout).toBe(`${process.version}\n`);
  });

  it('ends all its processes on SIGTERM', async () => {
    server.kill('SIGTERM');
    const [code] = (await once(server, 'exit')) as [number];
    expect(code).toBe(0);
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed');
  });
});

describe('a package', () => {
  const release = () => ({ version: VERSION, architecture: ARCHITECTURE, folder, tree: path.join(folder, 'small') });
  beforeAll(async () => {
    await mkdir(path.join(folder, 'small/bin'), { recursive: true });
    await writeFile(path.join(folder, 'small/bin/runward'), '#!/bin/sh\n', { mode: 0o755 });
  });

  it('for Debian has units, settings and the command, and belongs to root', async () => {
    const file = path.join(folder, await deb.build(release()));
    expect((await run('dpkg-deb', ['--field', file, 'Version', 'Architecture'])).stdout).toBe(
      `Version: ${VERSION}\nArchitecture: ${ARCHITECTURE}\n`,
    );
    const { stdout } = await run('dpkg-deb', ['--contents', file]);
    const modes = new Map(
      stdout
        .trim()
        .split('\n')
        .map((line) => [line.split(/\s+/)[5], line.split(/\s+/).slice(0, 2)]),
    );
    expect(modes.get('./usr/lib/runward/bin/runward')).toEqual(['-rwxr-xr-x', 'root/root']);
    expect(modes.get('./usr/bin/runward')).toEqual(['-rwxr-xr-x', 'root/root']);
    expect(modes.get('./lib/systemd/system/runward.service')).toEqual(['-rw-r--r--', 'root/root']);
    expect(modes.get('./lib/systemd/system/runward-worker@.service')).toEqual(['-rw-r--r--', 'root/root']);
    expect((await run('dpkg-deb', ['--info', file, 'conffiles'])).stdout).toBe('/etc/runward/runward.env\n');
  });

  it('as an archive has one folder with the version, and is the same each time', async () => {
    const file = path.join(folder, await tarball.build(release()));
    const first = await readFile(file);
    expect((await run('tar', ['-tzf', file])).stdout.split('\n')).toContain(
      `runward-${VERSION}-linux-${ARCHITECTURE}/bin/runward`,
    );
    await tarball.build(release());
    expect((await readFile(file)).equals(first)).toBe(true);
  });

  it('has a list of all software in it, without development packages', async () => {
    const { bomFormat, components } = JSON.parse(
      await readFile(path.join(folder, await sbom.build(release())), 'utf8'),
    ) as { bomFormat: string; components: { purl: string }[] };
    expect(bomFormat).toBe('CycloneDX');
    const names = components.map(({ purl }) => purl.replace(/@[^@]*$/, ''));
    for (const name of ['typeorm', 'react', `node-linux-${process.arch}`, '%40mantine/core'])
      expect(names).toContain(`pkg:npm/${name}`);
    expect(names).not.toContain('pkg:npm/jest');
  });
});

describe('the changelog of a release', () => {
  const TEXT = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Runs.\n\n## [0.1.0] - 2026-01-02\n\n- First.\n';

  it('has the unreleased entries under the version and the date', () => {
    expect(releaseChangelog(TEXT, '0.2.0', new Date('2026-11-29T10:00:00Z'))).toBe(
      TEXT.replace('## [Unreleased]\n', '## [Unreleased]\n\n## [0.2.0] - 2026-11-29\n'),
    );
  });

  it('needs entries', () => {
    expect(() => releaseChangelog(TEXT.replace('- Runs.', ''), '0.2.0', new Date())).toThrow('has no entries');
    expect(() => releaseChangelog('# Changelog\n', '0.2.0', new Date())).toThrow('has no heading');
  });

  it.each([
    ['0.2.0', '0.1.9'],
    ['0.1.10', '0.1.9'],
    ['1.0.0', '0.9.9'],
  ])('accepts version %s after %s', (version, current) => {
    expect(() => requireNextVersion(version, current)).not.toThrow();
  });

  it.each(['0.1.9', '0.1.8', '0.0.10', 'v0.2.0', '0.2', undefined])('refuses version %s after 0.1.9', (version) => {
    expect(() => requireNextVersion(version, '0.1.9')).toThrow(/is not newer|Usage/);
  });
});
