import { spawn } from 'node:child_process';
import { toGitError, GitError } from './git-error.js';

const MAX_STDERR_BYTES = 16_384;
/** Time after SIGTERM in which git can delete its lock files, in ms. */
const END_TIMEOUT_MS = 2_000;
/**
 * Maximum address space of one git process, in KiB. `MAX_CPU_TIME_FACTOR`: maximum processor seconds per second of its time
 * limit.
 */
const MAX_MEMORY_KIB = 4 * 1024 * 1024;
const MAX_CPU_TIME_FACTOR = 4;

/**
 * Sets limits of file size, memory, processor time and elapsed time, which also apply after this process has ended. The
 * command's arguments are parameters, so the shell never interprets them.
 */
const RUN_WITH_LIMITS_SCRIPT = `ulimit -c 0 2>/dev/null; ulimit -f "$1" 2>/dev/null; ulimit -v "$2" 2>/dev/null; ulimit -t "$3" 2>/dev/null
runward_seconds=$4; shift 4; exec timeout --foreground -k 5 "$runward_seconds" "$@"`;

export interface GitCall {
  args: readonly string[];
  /** Complete environment; git inherits nothing else. */
  env: Readonly<Record<string, string>>;
  timeoutMs: number;
  maxBytes: number;
  maxFileBytes?: number;
  stdin?: string;
  signal?: AbortSignal;
  /** Polled while git runs. A returned error stops git. */
  watch?: () => Promise<GitError | null>;
  secrets?: readonly string[];
  /** Receives each chunk of output, which is then not kept. A returned error stops git. */
  onOutput?: (part: Buffer) => GitError | null;
  /** True: longer output is truncated, and git is stopped without an error. */
  cut?: boolean;
}

const WATCH_INTERVAL_MS = 200;

/**
 * @returns git's standard output
 * @throws GitError
 */
export async function runGit(call: GitCall): Promise<Buffer> {
  const { signal, timeoutMs, maxBytes } = call;
  if (signal?.aborted) throw createStoppedError();
  const seconds = Math.ceil(timeoutMs / 1000);
  const bounds = [
    Math.ceil((call.maxFileBytes ?? 0) / 512) || 'unlimited',
    MAX_MEMORY_KIB,
    MAX_CPU_TIME_FACTOR * seconds,
    seconds + 5,
  ];
  const child = spawn(
    '/bin/sh',
    ['-c', RUN_WITH_LIMITS_SCRIPT, 'runward-git', ...bounds.map(String), 'git', ...call.args],
    {
      env: call.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      // Creates a process group, so that git's helper processes can be killed with git.
      detached: true,
      cwd: '/',
    },
  );
  let fault: GitError | null = null;
  let hasEnoughOutput = false;
  let size = 0;
  let stderr = '';
  const parts: Buffer[] = [];
  const timers: NodeJS.Timeout[] = [];
  const kill = (how: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, how);
    } catch {
      // The process has already ended.
    }
  };
  const end = (why: GitError | null) => {
    if (fault || hasEnoughOutput) return;
    if (why) fault = why;
    else hasEnoughOutput = true;
    kill('SIGTERM');
    timers.push(setTimeout(() => kill('SIGKILL'), END_TIMEOUT_MS));
  };
  const onAbort = () => end(createStoppedError());
  signal?.addEventListener('abort', onAbort, { once: true });
  timers.push(
    setTimeout(() => end(new GitError('timed_out', `It was stopped at the limit of ${seconds} seconds.`)), timeoutMs),
  );
  let watching = false;
  const watch = setInterval(() => {
    if (!call.watch || watching) return;
    watching = true;
    call.watch().then(
      (why) => {
        watching = false;
        if (why) end(why);
      },
      () => (watching = false),
    );
  }, WATCH_INTERVAL_MS);
  child.stdout.on('data', (part: Buffer) => {
    if (fault || hasEnoughOutput) return;
    if (call.onOutput) {
      const why = call.onOutput(part);
      if (why) end(why);
      return;
    }
    size += part.length;
    parts.push(part);
    if (size > maxBytes)
      end(call.cut ? null : new GitError('too_large', `git wrote more than the limit of ${maxBytes} bytes.`));
  });
  child.stderr.on('data', (part: Buffer) => {
    if (stderr.length < MAX_STDERR_BYTES) stderr += part.toString('utf8');
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(call.stdin ?? '');
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', (error) => reject(new GitError('git_missing', `git could not be started: ${error.message}`)));
      child.on('close', resolve);
    });
    const why = fault ?? (await call.watch?.()) ?? null;
    if (why) throw why;
    if (hasEnoughOutput) return Buffer.concat(parts).subarray(0, maxBytes);
    if (code === 0) return Buffer.concat(parts);
    if (code === 127)
      throw new GitError(
        'git_missing',
        'This machine has no git, or no timeout. Install git and openssh-client on it (Debian: apt-get install git openssh-client).',
      );
    if (code === 124 || code === 137)
      throw new GitError('timed_out', `It was stopped at the limit of ${seconds} seconds.`);
    throw toGitError(stderr, call.secrets ?? []);
  } finally {
    clearInterval(watch);
    for (const timer of timers) clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    // Kills processes that git started and left behind.
    kill('SIGKILL');
  }
}

const createStoppedError = () => new GitError('stopped', 'It was stopped because this process is shutting down.');
