import type { Runtime } from '../../src/common/settings/runtime.js';
import type { TestDatabase } from './database.js';
import type { Installation, TestWorker } from './installation.js';
import { startWorkerProcess, type WorkerProcess } from './worker-process.js';

/** Workers that tests start on demand and stop together. */
export interface LabWorkers {
  work: (settings?: Partial<Runtime['settings']>) => Promise<TestWorker>;
  workOn: (database: TestDatabase) => Promise<TestWorker>;
  /** Starts a worker as a separate process. @param settings environment variables */
  workProcess: (settings?: NodeJS.ProcessEnv) => Promise<WorkerProcess>;
  endWorkers: () => Promise<void>;
}

/** @param runward called at each use, so that it may be started later */
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
