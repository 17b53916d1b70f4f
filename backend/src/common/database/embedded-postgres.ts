import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDataFolder } from '../settings/data-folder.js';
import { DataFolderHeldError, lockDataFolder } from './data-folder-lock.js';
import { postgresBinaries } from './postgres-binaries.js';
import { initialise, locateCluster, openCluster } from './postgres-cluster.js';
import { ensureDatabase, isReady } from './postgres-probe.js';
import { type RunningServer, runningServer, startServer, stopServer } from './postgres-server.js';
import { markOf, until } from './processes.js';
import { inWords, reasonOf, StartError } from './start-error.js';

export interface EmbeddedPostgresOptions {
  /** Absolute path; the database stands under `postgres` in it. */
  readonly dataDir: string;
  /** Hears one line about what a person should know. */
  readonly log: (line: string) => void;
  /** Use the database of a Runward that runs already, instead of refusing because of it; for administration. */
  readonly share?: boolean;
  /** PostgreSQL settings beside and above the built-in ones; tests switch `fsync` off. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Let the kernel stop the server when this process dies, where it can (default). */
  readonly dieWithParent?: boolean;
}

export interface EmbeddedPostgres {
  readonly connection: {
    /** The folder of the Unix socket: `pg` takes it as host. */
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  };
  /** The same as one address, as DATABASE_URL would give it. */
  readonly url: string;
  readonly pid: number;
  /** True when the server ran already: left by a Runward that was killed, or shared with one that lives. */
  readonly adopted: boolean;
  /** Stops the server and gives the data folder back; a shared one is left alone. Can be called again. */
  stop(): Promise<void>;
  /** Calls back once when the server ends without having been asked to by `stop`. */
  onExit(callback: () => void): void;
}

const DATABASE = 'runward';
const SHARED_TIMEOUT_MS = 60_000;
const WATCH_INTERVAL_MS = 1_000;

/**
 * Starts the PostgreSQL that comes with Runward, or takes over one that a killed Runward left running on this data
 * folder. Throws `StartError` with one line for a person.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, share = false } = options;
  await openDataFolder(dataDir);
  let release: () => Promise<void>;
  try {
    release = await lockDataFolder(dataDir);
  } catch (error) {
    if (share && error instanceof DataFolderHeldError)
      return handle(await sharedServer(dataDir), true, async () => undefined);
    throw error;
  }
  try {
    return await startOwned(options, release);
  } catch (error) {
    await release();
    throw error;
  }
}

async function openDataFolder(dataDir: string): Promise<void> {
  try {
    await makeDataFolder(dataDir);
  } catch (error) {
    throw new StartError(
      `The data folder ${dataDir} can't be made (${inWords(error)}): choose another with RUNWARD_DATA_DIR.`,
    );
  }
}

async function startOwned(options: EmbeddedPostgresOptions, release: () => Promise<void>): Promise<EmbeddedPostgres> {
  const { dataDir, log, settings, dieWithParent = true } = options;
  const cluster = await openCluster(dataDir, log);
  const left = await adoptable(cluster.data);
  let server = left;
  if (server === undefined) {
    const binaries = await postgresBinaries(cluster.user, cluster.base);
    await initialise(cluster, binaries);
    server = await startServer(cluster, binaries, { settings, dieWithParent });
  }
  const { pid } = server;
  const stop = async () => {
    await stopServer(pid);
    await release();
  };
  try {
    await ensureDatabase(server, DATABASE);
  } catch (error) {
    await stopServer(pid);
    throw new StartError(`The database doesn't answer as it should: ${reasonOf(error)}`);
  }
  return handle(server, left !== undefined, stop);
}

/** A server left by a killed Runward, once it serves. One that is on its way down, or deaf, is ended first. */
async function adoptable(data: string): Promise<RunningServer | undefined> {
  const server = await runningServer(data);
  if (server === undefined) return undefined;
  const settled = async () => (await isReady(server)) !== 'starting' || (await markOf(server.pid)) === undefined;
  await until(settled, SHARED_TIMEOUT_MS);
  if ((await isReady(server)) === 'ready') return server;
  await stopServer(server.pid);
  return undefined;
}

/** The server of a Runward that lives; it may still be coming up. */
async function sharedServer(dataDir: string): Promise<RunningServer> {
  const deadline = performance.now() + SHARED_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const data = await locateCluster(dataDir);
    const server = data === undefined ? undefined : await runningServer(data);
    if (server !== undefined && (await isReady(server)) === 'ready') return server;
    await sleep(100);
  }
  throw new StartError(`The database of the Runward that runs on ${dataDir} doesn't answer.`);
}

function handle(server: RunningServer, adopted: boolean, end: () => Promise<void>): EmbeddedPostgres {
  const { folder: host, port, pid } = server;
  let stopping: Promise<void> | undefined;
  return {
    connection: { host, port, user: 'postgres', database: DATABASE },
    url: `postgresql://postgres@localhost:${port}/${DATABASE}?host=${encodeURIComponent(host)}&sslmode=disable`,
    pid,
    adopted,
    stop: () => (stopping ??= end()),
    onExit: (callback) => {
      void ended(server).then(() => stopping ?? callback());
    },
  };
}

async function ended(server: RunningServer): Promise<void> {
  if (server.child !== undefined) {
    if (server.child.exitCode === null && server.child.signalCode === null) await once(server.child, 'exit');
    return;
  }
  while ((await markOf(server.pid)) !== undefined) await sleep(WATCH_INTERVAL_MS, undefined, { ref: false });
}
