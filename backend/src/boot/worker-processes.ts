import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { collectProcessMetrics, mergeCounters, type ProcessMetrics } from '../common/metrics/metrics.js';
import type { Runtime } from '../common/settings/runtime.js';

export const CHILD_WORKER_FLAG = '--child-worker';
/** Argument prefix. The folder of the parent's embedded database follows. */
export const DATABASE_FOLDER_FLAG = '--database-folder=';

/**
 * Node.js options that reduce memory. The old generation is collected after growing by 30 percent instead of up to 300:
 * a run of 1,000 hosts takes 200 MiB instead of 280, one of 10,000 hosts 220 instead of 420. Each semi-space of the
 * young generation has 8 MB. With the default of 16, a run of 1,000 hosts takes 206 MiB instead of 187. With 4, it
 * takes 183, but data of a host is copied several times, which costs a fifth more processor time if there is much
 * output. One glibc arena for all threads (MALLOC_ARENA_MAX) saves another 10 MB.
 */
export const WORKER_NODE_OPTIONS = ['--max-semi-space-size=8', '--heap-growing-percent=30'];

/** Delay before an ended worker is restarted, in ms. It doubles each time, up to the maximum. */
const FIRST_RESTART_DELAY_MS = 500;
const MAX_RESTART_DELAY_MS = 30_000;
/** Time after which workers are killed, in ms. They normally hand over their runs and exit within 15 s. */
const STOP_TIMEOUT_MS = 17_000;
/** Time in which a worker answers a request for its metrics, in ms. Later, its previous answer is used. */
const METRICS_TIMEOUT_MS = 1_000;

interface MetricsMessage {
  id: number;
  metrics: ProcessMetrics | null;
}

export class WorkerProcesses {
  private readonly children = new Set<ChildProcess>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private stopping = false;
  private readonly latestMetrics = new Map<ChildProcess, ProcessMetrics>();
  private metricsOfEnded: ProcessMetrics = [];

  /** @param program main file of a worker */
  constructor(
    private readonly program: string,
    private readonly runtime: Runtime,
    private readonly log: (line: string) => void,
  ) {}

  start(): void {
    for (let n = 1; n <= this.runtime.settings.workers; n += 1) this.launchWorker(n, FIRST_RESTART_DELAY_MS);
  }

  async stopWorkers(): Promise<void> {
    this.stopping = true;
    for (const timer of this.timers) clearTimeout(timer);
    await Promise.all([...this.children].map(stopChildProcess));
  }

  /**
   * Returns the metrics of all workers. Contains the counters of ended and blocked workers too: a sum that falls looks
   * like a restarted counter, and `increase` would count everything again.
   */
  async collectMetrics(): Promise<ProcessMetrics[]> {
    await Promise.all(
      [...this.children].map(async (child) => {
        const metrics = await requestMetrics(child);
        if (metrics && this.children.has(child)) this.latestMetrics.set(child, metrics);
      }),
    );
    return [...this.latestMetrics.values(), this.metricsOfEnded];
  }

  private keepCountersOf(child: ChildProcess): void {
    const latest = this.latestMetrics.get(child);
    this.latestMetrics.delete(child);
    if (!latest) return;
    this.metricsOfEnded = mergeCounters(this.metricsOfEnded, latest);
  }

  private launchWorker(n: number, restartMs: number): void {
    const startedAt = performance.now();
    const { databaseUrl, databaseLogin, databaseFolder } = this.runtime;
    // Workers get only the application's URL. The owner's URL stays with the parent.
    const database = {
      DATABASE_URL: databaseUrl,
      RUNWARD_DATABASE_APP_URL: databaseLogin === 'own' ? databaseUrl : '',
      DATABASE_URL_FILE: '',
      RUNWARD_DATABASE_APP_URL_FILE: '',
    };
    const child = fork(
      this.program,
      [CHILD_WORKER_FLAG, ...(databaseFolder ? [DATABASE_FOLDER_FLAG + databaseFolder] : [])],
      {
        env: { MALLOC_ARENA_MAX: '1', ...process.env, ...database, RUNWARD_ROLE: 'worker' },
        execArgv: [...process.execArgv, ...WORKER_NODE_OPTIONS],
        // Own process group: Ctrl-C reaches only the parent, which ends its workers in order.
        detached: true,
      },
    );
    this.children.add(child);
    child.on('exit', (code, signal) => {
      this.children.delete(child);
      this.keepCountersOf(child);
      if (this.stopping) return;
      const ranLong = performance.now() - startedAt > MAX_RESTART_DELAY_MS;
      const wait = ranLong ? FIRST_RESTART_DELAY_MS : restartMs;
      this.log(`Worker ${n} ended (${signal ?? `code ${code ?? 'unknown'}`}). It is restarted in ${wait / 1000} s.`);
      const timer = setTimeout(() => {
        this.timers.delete(timer);
        this.launchWorker(n, Math.min(wait * 2, MAX_RESTART_DELAY_MS));
      }, wait);
      this.timers.add(timer);
    });
  }
}

let metricsRequests = 0;

function requestMetrics(child: ChildProcess): Promise<ProcessMetrics | null> {
  const id = (metricsRequests += 1);
  return new Promise((resolve) => {
    const settle = (metrics: ProcessMetrics | null): void => {
      clearTimeout(timer);
      child.off('message', receive);
      child.off('exit', end);
      resolve(metrics);
    };
    const receive = (message: unknown): void => {
      const answer = message as MetricsMessage;
      if (answer.id === id) settle(answer.metrics);
    };
    const end = (): void => settle(null);
    const timer = setTimeout(end, METRICS_TIMEOUT_MS);
    child.on('message', receive);
    child.once('exit', end);
    if (child.connected) child.send({ id }, (error) => error && end());
    else end();
  });
}

/** Answers the requests of the parent for metrics of this worker. */
export function answerMetricsRequests(): void {
  process.on('message', ({ id }: Pick<MetricsMessage, 'id'>) => {
    void collectProcessMetrics()
      .catch(() => null)
      .then((metrics) => process.connected && process.send?.({ id, metrics } satisfies MetricsMessage));
  });
}

async function stopChildProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}
