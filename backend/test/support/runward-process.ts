import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { freePort } from './free-port.js';
import { appUrlOf } from './database.js';
import { PASSWORD } from './installation.js';
import { builtProgram } from './built-program.js';
import { eventually } from './eventually.js';

export const PROCESS_ADMIN = { email: 'admin@example.test', password: PASSWORD, tenant: 'acme' };

/** A real Runward (`node backend/dist/bundle/main.js`) with its own workers. */
export interface RunwardProcess {
  pid: number;
  url: string;
  printed(): string;
  workers(): Promise<number[]>;
  /** Resolves with the exit code when the process ends; null: ended by a signal. */
  ended(): Promise<number | null>;
  /** Sends a signal. @returns exit code and duration in ms */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<{ code: number | null; ms: number }>;
}

/**
 * Starts the built program and waits until it is ready.
 * @param databaseUrl owner's URL of an external database; null: the embedded one in the data folder
 * @param settings environment variables that extend or override the defaults
 */
export async function startRunwardProcess(
  databaseUrl: string | null,
  dataDir: string,
  settings: NodeJS.ProcessEnv = {},
): Promise<RunwardProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('RUNWARD_')));
  const child = spawn(process.execPath, [builtProgram('main')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...own,
      DATABASE_URL: databaseUrl ?? '',
      RUNWARD_DATABASE_APP_URL: databaseUrl === null ? '' : appUrlOf(databaseUrl),
      RUNWARD_ROLE: 'all',
      RUNWARD_WORKERS: '1',
      RUNWARD_PORT: String(port),
      RUNWARD_DATA_DIR: dataDir,
      RUNWARD_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      RUNWARD_ADMIN_EMAIL: PROCESS_ADMIN.email,
      RUNWARD_ADMIN_PASSWORD: PROCESS_ADMIN.password,
      RUNWARD_TENANT: PROCESS_ADMIN.tenant,
      ...settings,
    },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  try {
    await eventually('Runward is ready', async () => {
      if (hasEnded(child)) throw new Error(`Runward ended: ${printed}`);
      return (await fetch(`${url}/api/health/ready`).catch(() => null))?.status === 200;
    });
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return {
    pid: child.pid ?? 0,
    url,
    printed: () => printed,
    workers: () => childrenOf(child.pid ?? 0),
    async ended() {
      if (!hasEnded(child)) await once(child, 'exit');
      return child.exitCode;
    },
    async end(signal) {
      const from = performance.now();
      if (!hasEnded(child)) {
        const gone = once(child, 'exit');
        child.kill(signal);
        await gone;
      }
      return { code: child.exitCode, ms: performance.now() - from };
    },
  };
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  const isWorker = (stat: string) => Number(/\) \S (\d+)/.exec(stat)?.[1]) === parent && !stat.includes('(postgres)');
  return pids.filter((_, index) => isWorker(stats[index] ?? ''));
}
