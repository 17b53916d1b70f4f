import type { Runtime } from '../../src/common/runtime.js';
import type { TestDatabase } from './database.js';
import type { Installation, TestWorker } from './installation.js';
import { startWorkerProcess, type WorkerProcess } from './worker-process.js';

/** Workers that tests start as they need them, and end together. */
export interface LabWorkers {
  /** Starts one in this process. */
  work: (settings?: Partial<Runtime['settings']>) => Promise<TestWorker>;
  /** Starts one in this process, on another database. */
  workOn: (database: TestDatabase) => Promise<TestWorker>;
  /** Starts one that is a process of its own. @param settings environment variables */
  workProcess: (settings?: NodeJS.ProcessEnv) => Promise<WorkerProcess>;
  /** Ends all that are left. */
  endWorkers: () => Promise<void>;
}

/** @param runward is asked for at each use, so that it may be started later */
export function labWorkers(runward: () => Installation): LabWorkers {
  let workers: TestWorker[] = [];
  let processes: WorkerProcess[] = [];
  const add = async (starting: Promise<TestWorker>): Promise<TestWorker> => {
    const worker = await starting;
    workers.push(worker);
    return worker;
  };
  return {
    work: (settings = {}) => add(runward().worker(settings)),
    workOn: (database) => add(runward().worker({}, database)),
    async workProcess(settings = {}) {
      const worker = await startWorkerProcess(runward(), settings);
      processes.push(worker);
      return worker;
    },
    async endWorkers() {
      await Promise.all([...workers.map((worker) => worker.stop()), ...processes.map((each) => each.end('SIGKILL'))]);
      workers = [];
      processes = [];
    },
  };
}
