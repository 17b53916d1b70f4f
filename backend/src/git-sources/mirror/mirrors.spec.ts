import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type GitRemotes, startGitRemotes, type TestRepository } from '../../../test/support/git-remotes.js';
import { newId } from '../../common/ids.js';
import type { Runtime } from '../../common/settings/runtime.js';
import { readSettings } from '../../common/settings/settings.js';
import { type GitUrl, parseGitUrl } from '../urls/git-url.js';
import { MirrorReader } from './mirror-reader.js';
import { type MirrorId, Mirrors } from './mirrors.js';
import type { RemoteAccess } from './remote.js';

let remotes: GitRemotes;
let dataDir: string;
let numbered = 0;
let repository: TestRepository;
let name: string;

beforeAll(async () => {
  remotes = await startGitRemotes();
});
beforeEach(async () => {
  numbered += 1;
  name = `repository-${numbered}.git`;
  repository = await remotes.repository(name);
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'runward-mirrors-'));
});
afterEach(async () => {
  remotes.login = null;
  remotes.instead = null;
  await rm(dataDir, { recursive: true, force: true });
});
afterAll(() => remotes.close());

const url = (text = `${remotes.url}/${name}`): GitUrl => parseGitUrl(text) as GitUrl;
const tenantId = newId();
const mirrorOf = (at = url()): MirrorId => ({ tenantId, id: '0191e3a4-0000-7000-8000-000000000001', url: at });
const access = (more: Partial<RemoteAccess> = {}): RemoteAccess => ({
  url: url(),
  login: null,
  key: null,
  hostKey: null,
  ...more,
});

function mirrors(settings: NodeJS.ProcessEnv = {}): Mirrors {
  const env = {
    RUNWARD_DATA_DIR: dataDir,
    RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8,::1',
    RUNWARD_GIT_CA_FILE: remotes.caFile,
  };
  return new Mirrors({ settings: readSettings({ ...env, ...settings }) } as Runtime);
}
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: { code: string; message: string }) => error,
  );

describe('mirrors', () => {
  it('follow each change of the remote', async () => {
    const here = mirrors();
    const first = await repository.commit({ 'a.sh': 'one', 'dir/b': Buffer.from([0, 255]) });
    const { head, refs } = await here.fetchAll(mirrorOf(), access());
    expect([head, refs.get('refs/heads/main')?.commit]).toEqual(['main', first]);
    const second = await repository.commit({ 'a.sh': 'two' });
    await repository.git(['tag', '-a', '-m', 'x', 'v1', second]);
    await repository.git(['update-ref', 'refs/heads/other', first]);
    const again = await here.fetchAll(mirrorOf(), access());
    expect(Object.fromEntries([...again.refs].map(([ref, { commit }]) => [ref, commit]))).toEqual({
      'refs/heads/main': second,
      'refs/heads/other': first,
      'refs/tags/v1': second,
    });
    const reader = new MirrorReader(here);
    expect(await reader.readBlobAt(mirrorOf(), first, 'a.sh', 100)).toMatchObject({ content: Buffer.from('one') });
    expect(await reader.readBlobAt(mirrorOf(), second, 'a.sh', 100)).toMatchObject({ content: Buffer.from('two') });
    expect(await reader.readBlobAt(mirrorOf(), second, 'dir/b', 100)).toMatchObject({ content: Buffer.from([0, 255]) });
    expect(await here.countFiles(mirrorOf(), second)).toBe(2);
    await repository.git(['update-ref', '-d', 'refs/heads/other']);
    await repository.git(['update-ref', 'refs/heads/other/deeper', first]);
    expect([...(await here.fetchAll(mirrorOf(), access())).refs.keys()]).toContain('refs/heads/other/deeper');
  });

  it('are fetched by the proxy of the environment, also for names that only the proxy resolves', async () => {
    const commit = await repository.commit({ a: 'x' });
    const login = `Basic ${Buffer.from('user:s3cret').toString('base64')}`;
    const tunnels: string[] = [];
    const proxy = createServer();
    proxy.on('connect', (request, client: Socket) => {
      if (request.headers['proxy-authorization'] !== login) {
        client.end(
          `HTTP/1.1 407 Login required\r\nProxy-Authenticate: Basic realm="proxy"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
        );
        return;
      }
      tunnels.push(request.url ?? '');
      const server = connect(Number(new URL(remotes.url).port), '127.0.0.1', () =>
        client.write('HTTP/1.1 200 OK\r\n\r\n'),
      );
      server.pipe(client).pipe(server);
      for (const socket of [client, server]) socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const unknown = url(`https://git.nowhere.test/${name}`);
    try {
      process.env.HTTPS_PROXY = `http://user:s3cret@127.0.0.1:${port}`;
      expect((await mirrors().fetchAll(mirrorOf(), access())).refs.get('refs/heads/main')?.commit).toBe(commit);
      const failed = await refusal(mirrors().fetchAll(mirrorOf(unknown), access({ url: unknown })));
      expect(failed?.code).toBe('certificate_refused');
      expect(failed?.message).not.toContain('s3cret');
    } finally {
      delete process.env.HTTPS_PROXY;
      proxy.close();
      proxy.closeAllConnections();
    }
    expect([...new Set(tunnels)]).toEqual([new URL(remotes.url).host, 'git.nowhere.test:443']);
  });

  it('fetch a commit once for concurrent requests, in one process or several', async () => {
    const commit = await repository.commit({ a: 'x' });
    remotes.requests.length = 0;
    const processes = [mirrors(), mirrors(), mirrors()];
    await Promise.all(
      processes.flatMap((each) =>
        [1, 2, 3].map(() => each.ensureCommit(mirrorOf(), commit, () => Promise.resolve(access()))),
      ),
    );
    expect(remotes.requests.filter((path) => path.includes('info/refs'))).toHaveLength(2);
    await Promise.all(
      processes.map((each) => each.ensureCommit(mirrorOf(), commit, () => Promise.reject(new Error('asked again')))),
    );
  });

  it('send a login only if it is configured, and mask it in errors', async () => {
    const token = 'p+ss/word-of the=source';
    remotes.login = `deploy:${token}`;
    await repository.commit({ a: 'x' });
    const here = mirrors();
    expect(await refusal(here.fetchAll(mirrorOf(), access()))).toMatchObject({ code: 'login_refused' });
    const wrong = await refusal(here.fetchAll(mirrorOf(), access({ login: { user: 'deploy', token: 'wrong-one' } })));
    expect(wrong).toMatchObject({ code: 'login_refused', message: expect.not.stringContaining('wrong-one') });
    await here.fetchAll(mirrorOf(), access({ login: { user: 'deploy', token } }));
    remotes.instead = () => ({ status: 500, body: `no ${token}`, headers: { 'x-told': 'y' } });
    const failed = await refusal(here.fetchAll(mirrorOf(), access({ login: { user: 'deploy', token } })));
    expect(failed?.message).toContain('500');
    expect(JSON.stringify(failed)).not.toContain('p+ss');
  });

  it('reject untrusted certificates, redirects and unreachable servers', async () => {
    await repository.commit({ a: 'x' });
    const unknown = mirrors({ RUNWARD_GIT_CA_FILE: '/etc/ssl/certs/ca-certificates.crt' });
    expect(await refusal(unknown.fetchAll(mirrorOf(), access()))).toMatchObject({ code: 'certificate_refused' });
    remotes.instead = (path) => ({
      status: 302,
      headers: { location: `${remotes.url.replace('localhost', '127.0.0.1')}${path}` },
    });
    remotes.requests.length = 0;
    expect(await refusal(mirrors().fetchAll(mirrorOf(), access()))).not.toBeNull();
    expect(remotes.requests).toHaveLength(1);
    remotes.instead = null;
    await remotes.stop();
    expect(await refusal(mirrors().fetchAll(mirrorOf(), access()))).toMatchObject({ code: 'unreachable' });
    await remotes.start();
    expect(
      await refusal(
        mirrors().fetchAll(mirrorOf(url(`${remotes.url}/none.git`)), access({ url: url(`${remotes.url}/none.git`) })),
      ),
    ).toMatchObject({ code: 'repository_not_found' });
    expect(await refusal(mirrors({ RUNWARD_OUTGOING_PRIVATE: '' }).fetchAll(mirrorOf(), access()))).toMatchObject({
      code: 'address_refused',
    });
  });

  it('reject a repository that is too large and delete what was fetched', async () => {
    const noise = Buffer.alloc(3 * 1024 * 1024, 0);
    for (let at = 0; at < noise.length; at += 4) noise.writeUInt32LE((at * 2654435761) >>> 0, at);
    await repository.commit({ 'large.bin': noise });
    const here = mirrors({ RUNWARD_GIT_REPOSITORY_MIB: '1' });
    expect(await refusal(here.fetchAll(mirrorOf(), access()))).toMatchObject({ code: 'too_large' });
    const left = await readdir(path.join(dataDir, 'git', 'mirrors', tenantId));
    expect(left.filter((each) => !each.endsWith('.lock'))).toEqual([]);
  });
});
