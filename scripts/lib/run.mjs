/** Starts programs, either with output to a log file, or in the foreground with forwarded signals. */
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { childEnvironment, endWithParent, root } from './paths.mjs';

const TAIL_LINES = 25;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Signals within this time count as one, in ms: npm forwards a Ctrl-C that the terminal has already sent. */
const SAME_PRESS_MS = 500;
const PARENT_WATCH_MS = 300;
/** Exit code of a command that exceeded its time limit, as in `timeout` (coreutils). */
export const TIMEOUT_EXIT_CODE = 124;
const CLEANUP_MS = 30_000;

/** Failure of a command. `tail` contains its last lines of output. */
export class CommandError extends Error {
  constructor(message, tail) {
    super(message);
    this.tail = tail;
  }
}

/** Runs a command and appends its output to `logFile`. @throws CommandError with the last lines if the command fails */
export async function runLogged([command, ...args], logFile, { env = {} } = {}) {
  mkdirSync(path.dirname(logFile), { recursive: true });
  const log = createWriteStream(logFile, { flags: 'a' });
  log.write(`\n$ ${[command, ...args].join(' ')}\n`);
  const child = spawn(command, args, { cwd: root, env: childEnvironment(env), stdio: ['ignore', 'pipe', 'pipe'] });
  let tail = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (coloured) => {
      const text = stripVTControlCharacters(coloured);
      log.write(text);
      tail = (tail + text).split('\n').slice(-TAIL_LINES).join('\n');
    });
  }
  const signals = passSignalsTo(child);
  const outcome = await new Promise((resolve) => {
    child.once('error', (error) =>
      resolve({ reason: error.code === 'ENOENT' ? `${command} isn't installed` : error.message }),
    );
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  signals.stop();
  await new Promise((resolve) => log.end(resolve));
  if (signals.received() !== undefined) process.exit(128 + constants.signals[signals.received()]);
  if (outcome.reason !== undefined || outcome.code !== 0) {
    throw new CommandError(
      outcome.reason ?? `${nameOf(command, args)} ended with ${outcome.signal ?? `code ${outcome.code}`}`,
      tail.trim(),
    );
  }
}

function nameOf(command, args) {
  return args[0]?.endsWith('npm-cli.js') ? ['npm', ...args.slice(1, 3)].join(' ') : path.basename(command);
}

/**
 * Runs a command in the foreground and resolves with its exit code (128 + number for a signal). `apart` starts a
 * separate session, so that Ctrl-C reaches the command only once, through this process. After `maxMs`, ends the
 * command and resolves with `TIMEOUT_EXIT_CODE`.
 */
export async function runInForeground([command, ...args], { env = {}, apart = true, cwd = root, maxMs } = {}) {
  const [program, ...all] = [...(apart ? endWithParent() : []), command, ...args];
  const child = spawn(program, all, { cwd, env: childEnvironment(env), stdio: 'inherit', detached: apart });
  const signals = passSignalsTo(child, { apart });
  const limit = maxMs === undefined ? undefined : endAfter(child, maxMs);
  try {
    const code = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (status, signal) => resolve(signal ? 128 + constants.signals[signal] : status));
    });
    return limit?.reached() ? TIMEOUT_EXIT_CODE : code;
  } finally {
    signals.stop();
    limit?.stop();
  }
}

function endAfter(child, ms) {
  let ended = false;
  let killing;
  const ending = setTimeout(() => {
    ended = true;
    child.kill('SIGTERM');
    killing = setTimeout(() => child.kill('SIGKILL'), CLEANUP_MS);
  }, ms);
  const stop = () => {
    clearTimeout(ending);
    clearTimeout(killing);
  };
  return { stop, reached: () => ended };
}

/** Forwards signals once per key press. A second press sends the first signal again, a third sends SIGKILL. */
function passSignalsTo(child, { apart = false } = {}) {
  let presses = 0;
  let first;
  let watch;
  let last = Number.NEGATIVE_INFINITY;
  const onSignal = (signal) => {
    clearInterval(watch);
    const now = performance.now();
    if (now - last < SAME_PRESS_MS) return;
    last = now;
    presses += 1;
    first ??= signal;
    // A closed terminal (SIGHUP) means "stop". Servers expect SIGTERM for that.
    const passed = presses > 2 ? 'SIGKILL' : signal === 'SIGHUP' ? 'SIGTERM' : signal;
    try {
      if (apart && presses > 2) process.kill(-child.pid, passed);
      else child.kill(passed);
    } catch {
      // already gone
    }
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  // npm runs this script in a shell that does not forward signals. The only sign of a stop is that the parent process
  // is gone.
  const parent = process.ppid;
  watch = setInterval(() => process.ppid !== parent && onSignal('SIGTERM'), PARENT_WATCH_MS);
  const stop = () => {
    clearInterval(watch);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  return { stop, received: () => first };
}
