import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { builtProgram } from './built-program.js';
import { eventually } from './eventually.js';
import type { Installation } from './installation.js';

export interface WorkerProcess {
  printed(): string;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Sends a signal. Does nothing after the end of the process. @returns exit code and duration in ms */
  end(name: 'SIGTERM' | 'SIGKILL'): Promise<{ code: number | null; ms: number }>;
}

export async function startWorkerProcess(
  installation: Installation,
  settings: NodeJS.ProcessEnv = {},
): Promise<WorkerProcess> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'runward-worker-'));
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('RUNWARD_')));
  const child = spawn(process.execPath, [builtProgram('main')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...own,
      DATABASE_URL: installation.database.url,
      RUNWARD_DATABASE_APP_URL: installation.database.appUrl,
      RUNWARD_ROLE: 'worker',
      RUNWARD_DATA_DIR: dataDir,
      RUNWARD_MASTER_KEY: installation.runtime.masterKey.key.toString('base64'),
      ...settings,
    },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const end: WorkerProcess['end'] = async (name) => {
    const from = performance.now();
    if (!hasEnded()) {
      const gone = once(child, 'exit');
      child.kill(name);
      await gone;
    }
    await rm(dataDir, { recursive: true, force: true });
    return { code: child.exitCode, ms: performance.now() - from };
  };
  try {
    await eventually('the worker is ready', async () => {
      if (hasEnded()) throw new Error(`The worker ended: ${printed}`);
      return printed.includes('A Runward worker is ready.');
    });
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
  return { printed: () => printed, signal: (name) => void child.kill(name), end };
}
