import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresBinaries } from './postgres-binaries.js';
import type { PostgresCluster } from './postgres-cluster.js';
import { probeServer, type SocketAddress } from './postgres-probe.js';
import {
  isProcessAlive,
  readProcessMark,
  type ProcessMark,
  findProcessesIn,
  sendSignal,
  waitUntil,
} from './processes.js';
import { removeSocket, SOCKET_PORT, prepareSocketFolder } from './socket-folder.js';
import { describeSystemError, toReason, StartError } from '../start-error.js';

export interface RunningServer extends SocketAddress {
  readonly pid: number;
  /** Undefined if another process started the server. */
  readonly child?: ChildProcess;
  /** Tells a server without `child` apart from a later process with the same number. */
  readonly mark?: ProcessMark;
}

const SERVER_PROGRAM = 'postgres';
const MIB = 1024 * 1024;
const MAX_LOG_BYTES = 10 * MIB;
/** A recovering server reports that it recovers, and gets `RECOVERY_TIMEOUT_MS` instead. */
const START_TIMEOUT_MS = 30_000;
const RECOVERY_TIMEOUT_MS = 600_000;
/** Time for processes of a dead server to end on their own, in ms. After it, they are killed. */
const LEFTOVERS_TIMEOUT_MS = 5_000;
const STOP_TIMEOUT_MS = 20_000;
const HARD_STOP_TIMEOUT_MS = 5_000;
const PROCESS_WATCH_INTERVAL_MS = 250;

/** Settings for a small machine that the database shares with Runward. */
const SERVER_SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  port: String(SOCKET_PORT),
  max_connections: '200',
  shared_buffers: '128MB',
  synchronous_commit: 'on',
  wal_compression: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  // Keeps row values and statement texts out of the log file.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
};

/** Reads postmaster.pid. Returns the server if its process is alive and runs in this data folder. */
export async function findRunningServer(data: string): Promise<RunningServer | undefined> {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const [pid, port, folder] = [Number(lines[0]), Number(lines[3]), lines[4]];
  if (!pid || !port || !folder) return undefined;
  const mark = await readProcessMark(pid);
  const isRunning = mark !== undefined && (await findProcessesIn(data, SERVER_PROGRAM)).includes(pid);
  return isRunning ? { pid, port, folder, mark } : undefined;
}

export async function hasEnded({ child, mark }: RunningServer): Promise<boolean> {
  if (child) return child.exitCode !== null || child.signalCode !== null;
  return mark === undefined || !(await isProcessAlive(mark));
}

export async function waitForServerEnd(server: RunningServer): Promise<string> {
  const { child } = server;
  if (child === undefined) {
    while (!(await hasEnded(server))) await sleep(PROCESS_WATCH_INTERVAL_MS, undefined, { ref: false });
    return 'ended by something';
  }
  if (!(await hasEnded(server))) await once(child, 'exit');
  return child.signalCode === null ? `ended with code ${child.exitCode ?? '?'}` : `killed by ${child.signalCode}`;
}

/**
 * Starts the server and waits until it is ready. Rejects when `signal` aborts.
 * @throws StartError with the last log line when the server ends instead
 */
export async function startServer(
  cluster: PostgresCluster,
  binaries: PostgresBinaries,
  options: { settings?: Readonly<Record<string, string>>; dieWithParent: boolean; signal?: AbortSignal },
): Promise<RunningServer> {
  await waitForLeftovers(cluster, options.signal);
  const folder = await prepareSocketFolder(cluster);
  await removeSocket(folder);
  const settings = {
    ...SERVER_SETTINGS,
    unix_socket_directories: `"${folder.replaceAll('"', '""')}"`,
    hba_file: cluster.hbaFile,
    ident_file: cluster.identFile,
    ...options.settings,
  };
  const args = ['-D', cluster.data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const logStart = await rotateLogFile(cluster.log);
  const child = await spawnServer(cluster, join(binaries.folder, 'bin/postgres'), args, options.dieWithParent);
  const { pid } = child;
  const address = { folder, port: SOCKET_PORT };
  if (pid === undefined) {
    const [reason] = (await once(child, 'error')) as unknown[];
    throw new StartError(`The database program cannot be started (${describeSystemError(reason)}).`);
  }
  const server = { pid, child, ...address };
  if (await waitUntilServing(child, address, options.signal)) return server;
  await stopServer(server);
  throw new StartError(
    `The database did not start: ${await readLastLines(cluster.log, logStart)} (see ${cluster.log})`,
  );
}

/** Ends the server and its connections (fast shutdown). Kills the server when that takes too long. */
export async function stopServer(server: RunningServer): Promise<void> {
  const { pid } = server;
  const serverEnded = () => hasEnded(server);
  if (await serverEnded()) return;
  sendSignal(pid, 'SIGINT');
  if (await waitUntil(serverEnded, STOP_TIMEOUT_MS)) return;
  sendSignal(pid, 'SIGQUIT');
  if (await waitUntil(serverEnded, HARD_STOP_TIMEOUT_MS)) return;
  sendSignal(pid, 'SIGKILL');
  await waitUntil(serverEnded, HARD_STOP_TIMEOUT_MS);
}

/**
 * Kills the remaining processes of a server whose main process is dead. A hanging process would otherwise remain
 * forever.
 */
export async function killLeftovers({ data }: PostgresCluster): Promise<void> {
  const left = await findProcessesIn(data, SERVER_PROGRAM);
  for (const pid of left) sendSignal(pid, 'SIGKILL');
  if (left.length > 0)
    await waitUntil(async () => (await findProcessesIn(data, SERVER_PROGRAM)).length === 0, HARD_STOP_TIMEOUT_MS);
}

/**
 * Ends processes of an earlier server. After `kill -9` some may live on briefly, and a new server beside them would
 * damage the data. Processes that do not end in time get SIGQUIT, then SIGKILL. When no process uses the data folder,
 * `postmaster.pid` is stale, even if a new process has that number.
 */
async function waitForLeftovers(cluster: PostgresCluster, abort?: AbortSignal): Promise<void> {
  const left = () => findProcessesIn(cluster.data, SERVER_PROGRAM);
  const hasNoProcesses = async () => abort?.aborted || (await left()).length === 0;
  for (const name of ['SIGQUIT', 'SIGKILL'] as const) {
    if (!(await waitUntil(hasNoProcesses, LEFTOVERS_TIMEOUT_MS, 50)))
      for (const pid of await left()) sendSignal(pid, name);
  }
  const serverEnded = await waitUntil(hasNoProcesses, LEFTOVERS_TIMEOUT_MS, 50);
  abort?.throwIfAborted();
  if (!serverEnded) {
    const pids = (await left()).join(', ');
    throw new StartError(
      `Processes of an earlier database still use ${cluster.data} (${pids}). End them and start again.`,
    );
  }
  await rm(join(cluster.data, 'postmaster.pid'), { force: true });
}

async function spawnServer(
  cluster: PostgresCluster,
  program: string,
  args: string[],
  dieWithParent: boolean,
): Promise<ChildProcess> {
  const { uid, gid } = cluster.user;
  const log = await open(cluster.log, 'a', 0o600);
  const [command, ...before] =
    dieWithParent && supportsParentDeath() ? ['setpriv', '--pdeathsig', 'INT', '--', program] : [program];
  try {
    const child = spawn(command, [...before, ...args], {
      cwd: '/',
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      stdio: ['ignore', log.fd, log.fd],
      // A separate session, so that Ctrl-C does not stop the server before its clients have finished.
      detached: true,
      ...(cluster.user.needsSwitch ? { uid, gid } : {}),
    });
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}

/**
 * Whether `setpriv` of util-linux can ask the kernel to stop the server when this process dies. Some small images lack
 * it.
 */
function supportsParentDeath(): boolean {
  try {
    execFileSync('setpriv', ['--pdeathsig', 'INT', '--', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function waitUntilServing(child: ChildProcess, address: SocketAddress, abort?: AbortSignal): Promise<boolean> {
  const start = performance.now();
  while (child.exitCode === null && child.signalCode === null && !abort?.aborted) {
    const state = await probeServer(address);
    if (state === 'ready') return true;
    if (performance.now() - start > (state === 'starting' ? RECOVERY_TIMEOUT_MS : START_TIMEOUT_MS)) return false;
    await sleep(20);
  }
  return false;
}

/** Rotates a large log. Returns the offset in bytes at which the next start's lines begin. */
async function rotateLogFile(path: string): Promise<number> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size < MAX_LOG_BYTES) return size;
  await rename(path, `${path}.1`);
  return 0;
}

async function readLastLines(path: string, from: number): Promise<string> {
  try {
    const lines = (await readFile(path)).subarray(from).toString('utf8').split('\n').filter(Boolean);
    const reason = lines.find((line) => /FATAL|PANIC|could not|error while loading/.test(line)) ?? lines.at(-1);
    return reason?.replace(/^\S+ \S+ \w+ \[\d+\] /, '') ?? 'it wrote nothing';
  } catch (error) {
    return toReason(error);
  }
}
