import { url as inspectorUrl } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { Worker } from 'jest-worker';

const WORKER = fileURLToPath(new URL('test-file-worker.mjs', import.meta.url));

/**
 * Jest runner (`runner` in jest.config.mjs) whose processes keep their modules between test files. Jest's own runner
 * creates a V8 context per file, and loads and compiles the whole application in it. That takes a quarter of the
 * processor time of all back-end tests. Here, files share module state, as requests do in a running Runward. A test
 * must restore any other change.
 *
 * Assertions, hooks, deadlines and reports are jest's: jest-circus runs each file.
 */
export default class SharedModulesRunner {
  isSerial = false;
  supportsEventEmitters = false;
  #globalConfig;

  constructor(globalConfig) {
    this.#globalConfig = globalConfig;
  }

  async runTests(tests, watcher, onStart, onResult, onFailure) {
    const { testNamePattern, testTimeout } = this.#globalConfig;
    const processes = await this.#start(tests.length);
    const waiting = tests.values();
    const takeTurns = async () => {
      for (const test of waiting) {
        if (watcher.isInterrupted()) return;
        await onStart(test);
        const { config } = test.context;
        try {
          await onResult(test, await processes.runTestFile({ path: test.path, config, testNamePattern, testTimeout }));
        } catch (error) {
          await onFailure(test, error);
        }
      }
    };
    try {
      await Promise.all(Array.from({ length: processes.count }, takeTurns));
    } finally {
      await processes.end();
    }
  }

  async #start(files) {
    const { maxWorkers, workerIdleMemoryLimit } = this.#globalConfig;
    // A debugger is attached to this process only, so the tests run in it.
    if (inspectorUrl()) return { ...(await import(WORKER)), count: 1, end: () => Promise.resolve() };
    const count = Math.max(1, Math.min(maxWorkers, files));
    const workers = new Worker(WORKER, {
      exposedMethods: ['runTestFile'],
      forkOptions: { execArgv: ['--enable-source-maps', '--no-warnings'], stdio: 'pipe', serialization: 'json' },
      idleMemoryLimit: workerIdleMemoryLimit || undefined,
      // A file whose process died counts as failed and is not retried.
      maxRetries: 0,
      numWorkers: count,
    });
    workers.getStdout()?.pipe(process.stdout, { end: false });
    workers.getStderr()?.pipe(process.stderr, { end: false });
    return { runTestFile: (file) => workers.runTestFile(file), count, end: () => workers.end() };
  }
}
