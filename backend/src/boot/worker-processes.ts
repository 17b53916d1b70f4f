import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Runtime } from '../common/runtime.js';

/** Argument that tells a process that its parent has prepared everything. */
export const CHILD_WORKER = '--child-worker';
/** Begin of the argument that tells a worker the folder of its parent's embedded database. */
export const DATABASE_FOLDER = '--database-folder=';

/**
 * Of Node.js. The old objects are looked through when they have grown by 30 percent, not by up to 300: 280 to 200 MiB in a
 * run of 1,000 hosts, 420 to 220 in one of 10,000. Each half of the young ones is 8 MB: with the usual 16 a run of 1,000 hosts
 * takes 206 MiB in place of 187, with 4 it takes 183, but what a host leaves behind is copied several times before the host is done, a
 * fifth more processor time where much is printed. One pool of memory of glibc for all threads (MALLOC_ARENA_MAX) spares 10 MB more.
 */
export const WORKER_OPTIONS = ['--max-semi-space-size=8', '--heap-growing-percent=30'];

/** Waits before a worker that ended is started anew, in ms: doubled each time, at most the last. */
const FIRST_RESTART_MS = 500;
const LONGEST_RESTART_MS = 30_000;
/** A worker hands its runs over and exits within 15 s; then it is ended. */
const STOP_MS = 17_000;

/** Keeps the child workers of role `all` alive. */
export class WorkerProcesses {
  private readonly children = new Set<ChildProcess>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private stopping = false;

  /** @param program the file that a worker is started from */
  constructor(
    private readonly program: string,
    private readonly runtime: Runtime,
    private readonly log: (line: string) => void,
  ) {}

  start(): void {
    for (let n = 1; n <= this.runtime.settings.workers; n += 1) this.launch(n, FIRST_RESTART_MS);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    for (const timer of this.timers) clearTimeout(timer);
    await Promise.all([...this.children].map(endChild));
  }

  private launch(n: number, restartMs: number): void {
    const startedAt = performance.now();
    const { databaseUrl, databaseLogin, databaseFolder } = this.runtime;
    // Only what the application needs: the owner's address stays with the parent.
    const database = {
      DATABASE_URL: databaseUrl,
      RUNWARD_DATABASE_APP_URL: databaseLogin === 'own' ? databaseUrl : '',
    };
    const child = fork(this.program, [CHILD_WORKER, ...(databaseFolder ? [DATABASE_FOLDER + databaseFolder] : [])], {
      env: { MALLOC_ARENA_MAX: '1', ...process.env, ...database, RUNWARD_ROLE: 'worker' },
      execArgv: [...process.execArgv, ...WORKER_OPTIONS],
      // In a group of its own, Ctrl-C reaches the parent only, which ends its workers in order.
      detached: true,
    });
    this.children.add(child);
    child.on('exit', (code, signal) => {
      this.children.delete(child);
      if (this.stopping) return;
      const lasted = performance.now() - startedAt > LONGEST_RESTART_MS;
      const wait = lasted ? FIRST_RESTART_MS : restartMs;
      this.log(`Worker ${n} ended (${signal ?? `code ${code ?? 'unknown'}`}); starting it again in ${wait / 1000} s.`);
      const timer = setTimeout(() => {
        this.timers.delete(timer);
        this.launch(n, Math.min(wait * 2, LONGEST_RESTART_MS));
      }, wait);
      this.timers.add(timer);
    });
  }
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await gone;
  clearTimeout(timer);
}
