import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDataFolder } from '../../settings/data-folder.js';
import { DataFolderHeldError, lockDataFolder } from './data-folder-lock.js';
import { DATABASE_NAME, type EmbeddedPostgres, EmbeddedServer } from './embedded-server.js';
import { findPostgresBinaries } from './postgres-binaries.js';
import {
  type PostgresCluster,
  initialiseCluster,
  locateCluster,
  LOG_FILE_NAME,
  openCluster,
} from './postgres-cluster.js';
import { ensureDatabase, probeServer } from './postgres-probe.js';
import {
  hasEnded,
  killLeftovers,
  type RunningServer,
  findRunningServer,
  startServer,
  stopServer,
} from './postgres-server.js';
import { waitUntil } from './processes.js';
import { describeSystemError, toReason, StartError } from '../start-error.js';

export interface EmbeddedPostgresOptions {
  /** Absolute path. The database is in its subfolder `postgres`. */
  readonly dataDir: string;
  readonly log: (line: string) => void;
  /** Use the database of a running Runward instead of refusing to start, for administration commands. */
  readonly share?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
  /** Whether the kernel stops the server when this process dies, where supported. Default: true. */
  readonly dieWithParent?: boolean;
}

const SHARED_SERVER_TIMEOUT_MS = 60_000;

/**
 * Starts the bundled PostgreSQL, or takes over the server that a killed Runward left running on this data folder.
 * @throws StartError with one line for the operator
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, share = false } = options;
  await ensureDataFolder(dataDir);
  let release: () => Promise<void>;
  try {
    release = await lockDataFolder(dataDir);
  } catch (error) {
    if (share && error instanceof DataFolderHeldError) return connectToSharedServer(dataDir);
    throw error;
  }
  try {
    return await startOwnedServer(options, release);
  } catch (error) {
    await release();
    throw error;
  }
}

async function ensureDataFolder(dataDir: string): Promise<void> {
  try {
    await createDataFolder(dataDir);
  } catch (error) {
    throw new StartError(
      `The data folder ${dataDir} cannot be created (${describeSystemError(error)}). Choose another with RUNWARD_DATA_DIR.`,
    );
  }
}

async function startOwnedServer(
  options: EmbeddedPostgresOptions,
  release: () => Promise<void>,
): Promise<EmbeddedPostgres> {
  const { dataDir, log, settings, dieWithParent = true } = options;
  const cluster = await openCluster(dataDir, log);
  const binaries = () => findPostgresBinaries(cluster.user, cluster.base);
  // Restarts never initialize the database files: a server whose files are gone must not come back empty.
  const start = async (signal?: AbortSignal) =>
    startServer(cluster, await binaries(), { settings, dieWithParent, signal });
  const adoptedServer = await findAdoptableServer(cluster);
  if (adoptedServer === undefined) await initialiseCluster(cluster, await binaries());
  const server = adoptedServer ?? (await start());
  try {
    await ensureDatabase(server, DATABASE_NAME);
  } catch (error) {
    await stopServer(server);
    throw new StartError(`The database does not answer correctly: ${toReason(error)}`);
  }
  const end = async () => {
    await killLeftovers(cluster);
    await release();
  };
  return new EmbeddedServer(server, adoptedServer !== undefined, cluster.log, { start, release: end });
}

/**
 * Returns the server that a killed Runward left running, once it is ready; undefined = none. First ends a server that
 * is shutting down or does not answer.
 */
async function findAdoptableServer({ data }: PostgresCluster): Promise<RunningServer | undefined> {
  const server = await findRunningServer(data);
  if (server === undefined) return undefined;
  const isSettled = async () => (await probeServer(server)) !== 'starting' || (await hasEnded(server));
  await waitUntil(isSettled, SHARED_SERVER_TIMEOUT_MS);
  if ((await probeServer(server)) === 'ready') return server;
  await stopServer(server);
  return undefined;
}

async function connectToSharedServer(dataDir: string): Promise<EmbeddedPostgres> {
  const deadline = performance.now() + SHARED_SERVER_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const data = await locateCluster(dataDir);
    const server = data === undefined ? undefined : await findRunningServer(data);
    if (data !== undefined && server !== undefined && (await probeServer(server)) === 'ready')
      return new EmbeddedServer(server, true, join(data, '..', LOG_FILE_NAME), null);
    await sleep(100);
  }
  throw new StartError(`The database of the Runward that runs on ${dataDir} does not answer.`);
}
