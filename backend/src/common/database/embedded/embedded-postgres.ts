import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDataFolder } from '../../settings/data-folder.js';
import { DataFolderHeldError, lockDataFolder } from './data-folder-lock.js';
import { DATABASE, type EmbeddedPostgres, EmbeddedServer } from './embedded-server.js';
import { postgresBinaries } from './postgres-binaries.js';
import { type Cluster, initialise, locateCluster, LOG_NAME, openCluster } from './postgres-cluster.js';
import { ensureDatabase, isReady } from './postgres-probe.js';
import {
  hasEnded,
  killLeftovers,
  type RunningServer,
  runningServer,
  startServer,
  stopServer,
} from './postgres-server.js';
import { until } from './processes.js';
import { inWords, reasonOf, StartError } from '../start-error.js';

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

const SHARED_TIMEOUT_MS = 60_000;

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
    if (share && error instanceof DataFolderHeldError) return sharedServer(dataDir);
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
  const binaries = () => postgresBinaries(cluster.user, cluster.base);
  // Never sets the files up: a server whose files are gone must not come back empty.
  const start = async (signal?: AbortSignal) =>
    startServer(cluster, await binaries(), { settings, dieWithParent, signal });
  const left = await adoptable(cluster);
  if (left === undefined) await initialise(cluster, await binaries());
  const server = left ?? (await start());
  try {
    await ensureDatabase(server, DATABASE);
  } catch (error) {
    await stopServer(server);
    throw new StartError(`The database doesn't answer as it should: ${reasonOf(error)}`);
  }
  const end = async () => {
    await killLeftovers(cluster);
    await release();
  };
  return new EmbeddedServer(server, left !== undefined, cluster.log, { start, release: end });
}

/** A server left by a killed Runward, once it serves. One that is on its way down, or deaf, is ended first. */
async function adoptable({ data }: Cluster): Promise<RunningServer | undefined> {
  const server = await runningServer(data);
  if (server === undefined) return undefined;
  const settled = async () => (await isReady(server)) !== 'starting' || (await hasEnded(server));
  await until(settled, SHARED_TIMEOUT_MS);
  if ((await isReady(server)) === 'ready') return server;
  await stopServer(server);
  return undefined;
}

/** The server of a Runward that lives; it may still be coming up. */
async function sharedServer(dataDir: string): Promise<EmbeddedPostgres> {
  const deadline = performance.now() + SHARED_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const data = await locateCluster(dataDir);
    const server = data === undefined ? undefined : await runningServer(data);
    if (data !== undefined && server !== undefined && (await isReady(server)) === 'ready')
      return new EmbeddedServer(server, true, join(data, '..', LOG_NAME), null);
    await sleep(100);
  }
  throw new StartError(`The database of the Runward that runs on ${dataDir} doesn't answer.`);
}
