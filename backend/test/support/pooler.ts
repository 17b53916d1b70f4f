import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openGate } from './database-gate.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';

export interface Pooler {
  /** Returns the same URL through PgBouncer. */
  through(url: string): string;
  stop(): Promise<void>;
}

/** PgBouncer refuses to run as root. */
const NOBODY = 65_534;

/** @param urls databases that may be used through PgBouncer */
export async function startPooler(mode: 'session' | 'transaction', urls: readonly string[]): Promise<Pooler> {
  const folder = await mkdtemp(path.join(tmpdir(), 'runward-pooler-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  // The embedded server accepts only the user of this process, so PgBouncer connects through a proxy in this process.
  const gates = await Promise.all(urls.map(openGate));
  const databases = gates.map(({ url }) => {
    const { hostname, port: at, username, password, pathname } = new URL(url);
    const secret = password === '' ? '' : ` password='${decodeURIComponent(password)}'`;
    return `${username} = host=${hostname} port=${at} dbname=${pathname.slice(1)} user=${username}${secret}`;
  });
  const users = gates.map(({ url }) => `"${new URL(url).username}" ""`);
  await writeFile(path.join(folder, 'users.txt'), `${users.join('\n')}\n`);
  await writeFile(
    path.join(folder, 'pgbouncer.ini'),
    [
      ...['[databases]', ...databases, '[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${port}`],
      ...['unix_socket_dir =', 'auth_type = trust', `auth_file = ${path.join(folder, 'users.txt')}`],
      ...[`pool_mode = ${mode}`, 'default_pool_size = 60', ''],
    ].join('\n'),
  );
  const root = process.getuid?.() === 0;
  const child = spawn('pgbouncer', [path.join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
    ...(root ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  const printed = await untilListening(child);
  return {
    through: (url) => {
      const user = new URL(url).username;
      if (!gates.some((gate) => new URL(gate.url).username === user)) throw new Error(`No pool of ${user}: ${printed}`);
      return `postgres://${user}@127.0.0.1:${port}/${user}`;
    },
    async stop() {
      const gone = once(child, 'exit');
      if (child.kill('SIGKILL')) await gone;
      await Promise.all(gates.map((gate) => gate.cut()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilListening(child: ChildProcess): Promise<string> {
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  child.on('error', (error) => (printed += String(error)));
  await eventually('PgBouncer listens', () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${printed}`);
    return printed.includes('process up');
  });
  return printed;
}
