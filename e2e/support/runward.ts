import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtProgram } from '../../backend/test/support/built-program.js';
import { createTestDatabase, type TestDatabase } from '../../backend/test/support/database.js';
import { freePort } from '../../backend/test/support/free-port.js';

const READY_MS = 60_000;
const STOP_MS = 25_000;

/** Makes Runward start its own database, as on a machine without settings. */
export const EMBEDDED_DATABASE: NodeJS.ProcessEnv = { DATABASE_URL: '' };
/** Key of the template database that `backend/test/global-setup.mjs` creates. */
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

export interface Runward {
  url: string;
  email: string;
  password: string;
  query?: TestDatabase['query'];
  stop(): Promise<void>;
}

/**
 * Starts Runward on new data and waits until it is ready.
 * @param settings additional variables. Without `EMBEDDED_DATABASE`, Runward uses a new database on the server that all
 *   tests share, which takes half of the time
 */
export async function startRunward(settings: NodeJS.ProcessEnv = {}): Promise<Runward> {
  const dataDir = await mkdtemp(join(tmpdir(), 'runward-e2e-'));
  const database = settings.DATABASE_URL === '' ? null : await createTestDatabase();
  const port = await freePort();
  const email = 'admin@e2e.test';
  const password = randomBytes(12).toString('base64url');
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    // Removed, because Runward refuses unknown settings.
    RUNWARD_TEST_DATABASE: undefined,
    RUNWARD_TEST_DATABASE_APP: undefined,
    RUNWARD_PORT: String(port),
    RUNWARD_DATA_DIR: dataDir,
    RUNWARD_ADMIN_EMAIL: email,
    RUNWARD_ADMIN_PASSWORD: password,
    RUNWARD_TENANT: 'acme',
    // Remotes of git sources are on this machine.
    RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8',
    ...(database && {
      DATABASE_URL: database.url,
      RUNWARD_DATABASE_APP_URL: database.appUrl,
      RUNWARD_MASTER_KEY: MASTER_KEY,
    }),
    ...settings,
  };
  const child = spawn(process.execPath, [builtProgram('main')], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (log += bytes.toString()));
  const stop = async (): Promise<void> => {
    await end(child);
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + READY_MS;
  while (!(await isReady(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`Runward did not get ready:\n${log}`);
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  return { url, email, password, query: database ? (text, values) => database.query(text, values) : undefined, stop };
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/api/health/ready`).then(
    (answer) => answer.ok,
    () => false,
  );

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await gone;
  clearTimeout(timer);
}
