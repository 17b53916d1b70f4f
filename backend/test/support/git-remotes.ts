import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { selfSignedCertificate } from './self-signed.js';

const run = promisify(execFile);

/** Fixed author and time of commits. Ignores the configuration of the machine. */
const ENV = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.test',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.test',
};

export interface TestRepository {
  folder: string;
  /** @returns trimmed output of git */
  git: (args: readonly string[], stdin?: string | Buffer) => Promise<string>;
  /**
   * Commits these files to the branch, replacing all others; null deletes a file. Author and committer are email
   * addresses. @returns the commit ID
   */
  commit: (
    files: Record<string, string | Buffer | null>,
    more?: { branch?: string; message?: string; author?: string; committer?: string },
  ) => Promise<string>;
}

export interface GitRemotes {
  folder: string;
  url: string;
  caFile: string;
  /** Required credentials as `user:password`; null: none. */
  login: string | null;
  /** When set, replaces the response of git. */
  instead:
    | ((url: string) => { status: number; headers?: Record<string, string>; body?: string | Buffer } | null)
    | null;
  /** When set, delays the response of git. */
  hold: ((url: string) => Promise<void>) | null;
  requests: string[];
  repository(name: string): Promise<TestRepository>;
  /** Stops the server. `start` restarts it on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Serves repositories with `git http-backend` over TLS on loopback. */
export async function startGitRemotes(): Promise<GitRemotes> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'runward-remotes-'));
  const { key, cert } = selfSignedCertificate('localhost');
  const caFile = path.join(folder, 'ca.pem');
  await writeFile(caFile, cert);
  let server: Server | null = null;
  let port = 0;
  const remotes: GitRemotes = {
    folder,
    url: '',
    caFile,
    login: null,
    instead: null,
    hold: null,
    requests: [],
    repository: (name) => makeRepository(path.join(folder, 'served', name)),
    async start() {
      const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
        remotes.requests.push(request.url ?? '');
        await remotes.hold?.(request.url ?? '');
        const instead = remotes.instead?.(request.url ?? '');
        if (instead) {
          response.writeHead(instead.status, instead.headers);
          response.end(instead.body);
          return;
        }
        const given = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
        if (remotes.login !== null && Buffer.from(given, 'base64').toString() !== remotes.login) {
          response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' });
          response.end();
          return;
        }
        const { pathname, search } = new URL(request.url ?? '/', 'https://localhost');
        const backend = spawn('git', ['http-backend'], {
          env: {
            ...ENV,
            GIT_PROJECT_ROOT: path.join(folder, 'served'),
            GIT_HTTP_EXPORT_ALL: '1',
            PATH_INFO: decodeURIComponent(pathname),
            QUERY_STRING: search.slice(1),
            REQUEST_METHOD: request.method ?? 'GET',
            CONTENT_TYPE: request.headers['content-type'] ?? '',
            HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
            GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
            REMOTE_ADDR: '127.0.0.1',
          },
        });
        request.pipe(backend.stdin);
        backend.stdin.on('error', () => undefined);
        response.on('close', () => backend.kill());
        let head = Buffer.alloc(0);
        let begun = false;
        backend.stdout.on('data', (part: Buffer) => {
          if (begun) return void response.write(part);
          head = Buffer.concat([head, part]);
          const end = head.indexOf('\r\n\r\n');
          if (end < 0) return;
          begun = true;
          const lines = head.subarray(0, end).toString().split('\r\n');
          const headers = lines.map((line): [string, string] => {
            const colon = line.indexOf(':');
            return [line.slice(0, colon), line.slice(colon + 1).trim()];
          });
          const status = Number(headers.find(([name]) => name === 'Status')?.[1]?.split(' ')[0] ?? 200);
          response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== 'Status')));
          response.write(head.subarray(end + 4));
        });
        backend.stdout.on('end', () => response.end());
      };
      const started = createServer({ key, cert }, (request, response) => void answer(request, response));
      await new Promise<void>((resolve, reject) => {
        started.once('error', reject);
        started.listen(port, '127.0.0.1', resolve);
      });
      server = started;
      ({ port } = started.address() as AddressInfo);
      remotes.url = `https://localhost:${port}`;
    },
    async stop() {
      const running = server;
      server = null;
      running?.closeAllConnections();
      await new Promise<void>((resolve) => (running ? running.close(() => resolve()) : resolve()));
    },
    async close() {
      await remotes.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await remotes.start();
  return remotes;
}

/** Creates a bare repository with an empty branch `main`. */
export async function makeRepository(folder: string): Promise<TestRepository> {
  await mkdir(folder, { recursive: true });
  const options = { env: ENV, maxBuffer: 64 * 1024 * 1024 };
  await run('git', ['init', '--quiet', '--bare', '--initial-branch=main', folder], options);
  const git = (args: readonly string[], stdin?: string | Buffer): Promise<string> => {
    const running = run('git', [`--git-dir=${folder}`, ...args], options);
    running.child.stdin?.on('error', () => undefined);
    running.child.stdin?.end(stdin ?? '');
    return running.then(({ stdout }) => stdout.trim());
  };
  const files = new Map<string, Map<string, string | Buffer>>();
  return {
    folder,
    git,
    async commit(changes, { branch = 'main', message = 'change', author, committer = 'ada@example.test' } = {}) {
      const all = files.get(branch) ?? new Map<string, string | Buffer>();
      files.set(branch, all);
      for (const [name, content] of Object.entries(changes)) {
        if (content === null) all.delete(name);
        else all.set(name, content);
      }
      const parts: Buffer[] = [];
      const line = (text: string) => parts.push(Buffer.from(`${text}\n`));
      const old = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]).catch(() => '');
      line(`commit refs/heads/${branch}`);
      if (author) line(`author Somebody <${author}> ${Math.floor(Date.now() / 1000)} +0000`);
      line(`committer Ada <${committer}> ${Math.floor(Date.now() / 1000)} +0000`);
      line(`data ${Buffer.byteLength(message)}`);
      line(message);
      if (old !== '') line(`from ${old}`);
      line('deleteall');
      for (const [name, content] of all) {
        const bytes = Buffer.from(content);
        line(`M 100644 inline ${JSON.stringify(name)}`);
        line(`data ${bytes.length}`);
        parts.push(bytes);
        line('');
      }
      await git(['fast-import', '--quiet'], Buffer.concat(parts));
      return git(['rev-parse', `refs/heads/${branch}`]);
    },
  };
}
