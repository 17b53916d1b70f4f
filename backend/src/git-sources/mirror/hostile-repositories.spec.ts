import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type GitRemotes, startGitRemotes, type TestRepository } from '../../../test/support/git-remotes.js';
import { newId } from '../../common/ids.js';
import type { Runtime } from '../../common/settings/runtime.js';
import { readSettings } from '../../common/settings/settings.js';
import { type GitUrl, parseGitUrl } from '../urls/git-url.js';
import { MirrorReader } from './mirror-reader.js';
import { Mirrors } from './mirrors.js';

let remotes: GitRemotes;
let dataDir: string;
let numbered = 0;
let repository: TestRepository;
let mirrors: Mirrors;
let reader: MirrorReader;
let url: GitUrl;

beforeAll(async () => {
  remotes = await startGitRemotes();
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'runward-hostile-'));
  const env = {
    RUNWARD_DATA_DIR: dataDir,
    RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8,::1',
    RUNWARD_GIT_CA_FILE: remotes.caFile,
    RUNWARD_GIT_REPOSITORY_MIB: '8',
  };
  mirrors = new Mirrors({ settings: readSettings(env) } as Runtime);
  reader = new MirrorReader(mirrors);
});
beforeEach(async () => {
  numbered += 1;
  repository = await remotes.repository(`hostile-${numbered}.git`);
  url = parseGitUrl(`${remotes.url}/hostile-${numbered}.git`) as GitUrl;
});
afterAll(async () => {
  await remotes.close();
  await rm(dataDir, { recursive: true, force: true });
});

const tenantId = newId();
const mirror = () => ({ tenantId, id: '0191e3a4-0000-7000-8000-000000000001', url });
const update = () => mirrors.fetchAll(mirror(), { url, login: null, key: null, hostKey: null });
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: { code: string }) => error.code,
  );
const hash = (content: string | Buffer) => repository.git(['hash-object', '-w', '--stdin'], content);
/** Each entry has the form `mode type object\tname`. */
async function commit(entries: readonly string[], ref = 'refs/heads/main'): Promise<string> {
  const tree = await repository.git(['mktree', '-z', '--missing'], entries.map((entry) => `${entry}\0`).join(''));
  const made = await repository.git(['commit-tree', tree, '-m', 'hostile']);
  await repository.git(['update-ref', ref, made]);
  return made;
}
const file = (at: string, commitId: string) => reader.readBlobAt(mirror(), commitId, at, 1_000);

describe('hostile repositories', () => {
  it('do not escape through links, submodules or folders that are named like files', async () => {
    const text = await hash('x');
    const inner = await repository.git(['mktree'], `100644 blob ${text}\tfile\n`);
    const links = ['/etc/passwd', '../../../../etc/passwd', 'inner', 'inner/file', '.', '..'];
    const made = await Promise.all(links.map(async (to, index) => `120000 blob ${await hash(to)}\tlink-${index}`));
    const id = await commit([...made, `160000 commit ${'1'.repeat(40)}\tmodule`, `040000 tree ${inner}\tinner`]);
    await update();
    for (const index of links.keys()) {
      expect(await file(`link-${index}`, id)).toBe('other');
      for (const randomBelow of ['passwd', 'file', 'etc/passwd'])
        expect(await file(`link-${index}/${randomBelow}`, id)).toBe('missing');
      expect(await reader.readFolder(mirror(), id, `link-${index}`)).toBe('other');
    }
    for (const at of ['module', 'inner']) expect(await file(at, id)).toBe('other');
    expect(await file('module/x', id)).toBe('missing');
    expect(await file('inner/file', id)).toMatchObject({ content: Buffer.from('x') });
    expect(await file('inner/file/x', id)).toBe('missing');
  });

  it('do not cause a fetch of submodules or the execution of hooks, filters or attributes', async () => {
    const evidence = path.join(dataDir, 'evidence');
    const ran = `touch ${evidence}`;
    const texts: Record<string, string> = {
      '.gitmodules': `[submodule "a"]\n\tpath = a\n\turl = ext::sh -c "${ran}"\n\tupdate = !${ran}\n`,
      '.gitattributes': '* filter=evil diff=evil merge=evil textconv=evil working-tree-encoding=UTF-16\n',
      '.gitconfig': `[core]\n\tfsmonitor = ${ran}\n\tsshCommand = ${ran}\n[alias]\n\tls-tree = !${ran}\n`,
      'large.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n',
      config: `[core]\n\thooksPath = .\n\tpager = ${ran}\n`,
      'post-checkout': `#!/bin/sh\n${ran}\n`,
    };
    await repository.commit(texts);
    // Hooks can only exist on the server. They must not be copied.
    await mkdir(path.join(repository.folder, 'hooks'), { recursive: true });
    await writeFile(path.join(repository.folder, 'hooks', 'post-update'), `#!/bin/sh\n${ran}\n`);
    await chmod(path.join(repository.folder, 'hooks', 'post-update'), 0o755);
    const { refs } = await update();
    const id = refs.get('refs/heads/main')?.commit ?? '';
    for (const [name, text] of Object.entries(texts))
      expect(await file(name, id)).toMatchObject({ content: Buffer.from(text) });
    await reader.listCommitsOf(mirror(), id, '.gitmodules', { skip: 0, limit: 10 });
    expect(await readdir(dataDir)).not.toContain('evidence');
    const folder = mirrors.getFolder(mirror());
    expect(await readdir(folder)).not.toContain('hooks');
    expect((await readdir(folder)).filter((name) => name.includes('module'))).toEqual([]);
  });

  it('cannot add branches and tags with unsupported names', async () => {
    const id = await repository.commit({ a: 'x' });
    const odd = ['-x', '--upload-pack=id', 'a\u202eb', 'a\u200bb'];
    // Written directly, because git refuses to create some of these refs.
    const lines = odd.map((name) => `${id} refs/heads/${name}\n`).join('');
    await writeFile(
      path.join(repository.folder, 'packed-refs'),
      `# pack-refs with: peeled fully-peeled sorted \n${lines}${id} refs/tags/fine\n`,
    );
    const { refs, leftOut } = await update();
    expect([...refs.keys()].sort()).toEqual(['refs/heads/main', 'refs/tags/fine']);
    expect(leftOut).toBeGreaterThan(0);
  });

  it('can contain names that differ only in case, and cannot show names with control characters or invalid UTF-8', async () => {
    const objects = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(hash));
    const names = ['Readme', 'readme', 'line\nbreak', 'esc\x1b[31m', '\u202egnp.exe', '-rf'];
    const id = await commit(names.map((name, index) => `100644 blob ${objects[index]}\t${name}`));
    await update();
    const found = await reader.readFolder(mirror(), id, '');
    expect(found).toMatchObject({ leftOut: 3 });
    expect((found as { entries: { name: string }[] }).entries.map(({ name }) => name)).toEqual([
      '-rf',
      'Readme',
      'readme',
    ]);
    expect(await file('Readme', id)).toMatchObject({ content: Buffer.from('a') });
    expect(await file('readme', id)).toMatchObject({ content: Buffer.from('b') });
    expect(await file('-rf', id)).toMatchObject({ content: Buffer.from('f') });
  });

  it('cannot exhaust memory with a file of zeros or a tree of ten billion files', async () => {
    const zeros = await hash(Buffer.alloc(64 * 1024 * 1024));
    let tree = await repository.git(['mktree'], `100644 blob ${await hash('x')}\tf\n`);
    for (let level = 0; level < 10; level += 1) {
      const entries = Array.from({ length: 10 }, (_, index) => `040000 tree ${tree}\td${index}\n`).join('');
      tree = await repository.git(['mktree'], entries);
    }
    const id = await commit([`100644 blob ${zeros}\tzeros`, `040000 tree ${tree}\tbomb`]);
    await update();
    expect(await codeOf(file('zeros', id))).toBe('too_large');
    expect(await codeOf(mirrors.countFiles(mirror(), id))).toBe('too_many_files');
    expect((await reader.readFolder(mirror(), id, 'bomb')) as object).toMatchObject({ leftOut: 0 });
  });

  it('that grow above the limit fail with too_large and keep the previous content readable', async () => {
    const noise = (seed: string) =>
      Buffer.concat(
        Array.from({ length: 100_000 }, (_, index) => createHash('sha256').update(`${seed}${index}`).digest()),
      );
    const first = await repository.commit({ a: 'small' });
    await update();
    await repository.commit({ a: noise('1'), b: noise('2'), c: noise('3') });
    expect(await codeOf(update())).toBe('too_large');
    await repository.git(['update-ref', 'refs/heads/main', first]);
    expect((await update()).refs.get('refs/heads/main')?.commit).toBe(first);
    expect(await file('a', first)).toMatchObject({ content: Buffer.from('small') });
  });

  it('with too many branches are rejected', async () => {
    const id = await repository.commit({ a: 'x' });
    const many = Array.from({ length: 5_001 }, (_, index) => `create refs/heads/b${index} ${id}\n`).join('');
    await repository.git(['update-ref', '--stdin'], many);
    expect(await codeOf(update())).toBe('too_many_refs');
  });

  it('cannot answer with invalid data, endless data or redirects', async () => {
    const answers: ReturnType<NonNullable<GitRemotes['instead']>>[] = [
      { status: 200, body: 'x'.repeat(100_000), headers: { 'content-type': 'text/html' } },
      { status: 200, body: '', headers: { 'content-type': 'application/x-git-upload-pack-advertisement' } },
      {
        status: 200,
        body: '001e# service=git-upload-pack\n0000ffff',
        headers: { 'content-type': 'application/x-git-upload-pack-advertisement' },
      },
      { status: 301, headers: { location: 'https://169.254.169.254/latest/meta-data/' } },
      { status: 302, headers: { location: 'file:///etc/passwd' } },
      { status: 307, headers: { location: 'ext::sh -c id' } },
      { status: 401, headers: { 'www-authenticate': 'Negotiate' } },
      { status: 500, body: '\x1b[2J\x1b]0;title\x07 oops' },
    ];
    for (const answer of answers) {
      remotes.instead = () => answer;
      remotes.requests.length = 0;
      // An empty response is valid for a repository without branches.
      const result = await update().then(
        ({ refs }) => `${refs.size} refs`,
        (each: { message: string }) => each.message,
      );
      expect(result).toMatch(/^(0 refs|.{9,})$/u);
      expect(result).not.toMatch(/\p{Cc}/u);
      expect(remotes.requests.length).toBeLessThan(10);
    }
    // Alternates of a dumb HTTP server that redirect to another server.
    remotes.instead = (asked) =>
      asked.includes('info/refs')
        ? { status: 200, body: `${'1'.repeat(40)}\trefs/heads/main\n`, headers: { 'content-type': 'text/plain' } }
        : asked.includes('alternates')
          ? { status: 200, body: 'https://169.254.169.254/x\nfile:///etc\n' }
          : { status: 404 };
    expect(await codeOf(update())).not.toBeNull();
    remotes.instead = null;
  });
});
