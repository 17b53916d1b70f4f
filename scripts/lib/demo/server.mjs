/** Starts Runward as a child process of the demo and writes its log to a file. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  childEnvironment,
  endWithParent,
  inRoot,
  productNode,
  root,
  SERVER_ENVIRONMENT,
  SERVER_OPTIONS,
  SERVER_PROGRAM,
} from '../paths.mjs';

const READY_TIMEOUT_MS = 90_000;
/** Longer than Runward's own limit for a shutdown, in ms. */
const STOP_TIMEOUT_MS = 30_000;
const TAIL_LINES = 15;

/**
 * @param otherwise command that uses another port
 * @throws Error with one line when the port is in use
 */
export async function requireFreePort(host, port, otherwise) {
  const server = net.createServer();
  try {
    await new Promise((resolve, reject) =>
      server.once('error', reject).listen({ host, port, exclusive: true }, resolve),
    );
  } catch (error) {
    if (error.code !== 'EADDRINUSE') return; // an invalid address, which Runward's validation of settings reports
    // better
    throw new Error(
      `Port ${port} on ${host} is in use. Stop the process that uses it, or set another port with ${otherwise}.`,
      {
        cause: error,
      },
    );
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/**
 * Creates a data folder with mode 0700, as Runward does. Parent folders get the default mode.
 * @param choice option or variable that selects another folder
 */
export function makeDataFolder(dataDir, choice = 'RUNWARD_DATA_DIR') {
  try {
    mkdirSync(path.dirname(dataDir), { recursive: true });
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Error(`The data folder ${dataDir} can't be made (${error.code}): choose another with ${choice}.`, {
      cause: error,
    });
  }
}

export async function startServer({ base, dataDir, env }) {
  const logFile = path.join(dataDir, 'runward.log');
  const log = openSync(logFile, 'w', 0o600);
  const [command, ...args] = [...endWithParent(), productNode(), ...SERVER_OPTIONS, inRoot(SERVER_PROGRAM)];
  // Ctrl-C does not reach a separate session, so the demo can first cancel the run and then stop Runward.
  const child = spawn(command, args, {
    cwd: root,
    env: childEnvironment({ ...SERVER_ENVIRONMENT, ...env }),
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const exited = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  const tail = () => readFileSync(logFile, 'utf8').trim().split('\n').slice(-TAIL_LINES).join('\n');
  const stop = async () => {
    if (ended) return;
    child.kill('SIGTERM');
    await Promise.race([exited, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    if (!ended) process.kill(-child.pid, 'SIGKILL');
  };
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (!(await isReady(base))) {
    if (ended) throw new Error(`Runward did not start:\n${tail()}`);
    if (performance.now() > deadline) {
      await stop();
      throw new Error(`Runward did not get ready within ${READY_TIMEOUT_MS / 1000} s:\n${tail()}`);
    }
    await sleep(50);
  }
  return { stop, exited, tail, logFile };
}

async function isReady(base) {
  try {
    return (await fetch(`${base}/api/health/ready`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}
