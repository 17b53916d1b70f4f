/** Runs the back end as a child process of the dev command. Restarts it after each compilation. */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { childEnvironment, endWithParent, inRoot, productNode, root } from '../paths.mjs';

const MAIN_PROGRAM = 'backend/.dev/dist/main.js';
const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 100;

export class BackEnd {
  #child;
  #exited = Promise.resolve();
  #queue = Promise.resolve();
  #waiting = false;

  /**
   * @param base address of the API
   * @param inspectPort port for debuggers; undefined = none
   * @param onReady called with the start time in ms when the API is ready
   * @param onEnd called when the process ended unexpectedly
   */
  constructor({ base, env, inspectPort, onReady, onEnd }) {
    this.base = base;
    this.env = { ...env, ...(inspectPort === undefined ? {} : { DEV_INSPECT_PORT: String(inspectPort) }) };
    const inspect = pathToFileURL(inRoot('scripts/lib/dev/inspect.mjs')).href;
    this.args = inspectPort === undefined ? [inRoot(MAIN_PROGRAM)] : ['--import', inspect, inRoot(MAIN_PROGRAM)];
    this.onReady = onReady;
    this.onEnd = onEnd;
  }

  /** Stops the running process gracefully, then starts the latest compiled code. */
  restart() {
    // The pending restart already includes this change.
    if (this.#waiting) return;
    this.#waiting = true;
    this.#queue = this.#queue.then(async () => {
      await this.#end();
      this.#waiting = false;
      this.#start();
    });
  }

  /** Stops the back end and all its child processes. The database stops last. */
  stop() {
    this.#waiting = true;
    this.#queue = this.#queue.then(() => this.#end());
    return this.#queue;
  }

  #start() {
    const [command, ...args] = [...endWithParent(), productNode(), ...this.args];
    const startedAt = performance.now();
    const env = childEnvironment(this.env);
    // Ctrl-C does not reach a separate session, so the dev command stops the back end itself.
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
    this.#child = child;
    this.#exited = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
    void this.#exited.then(() => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.onEnd();
    });
    void this.#tellReady(child, startedAt);
  }

  async #tellReady(child, startedAt) {
    while (this.#child === child) {
      if (await this.#isReady()) return this.onReady(performance.now() - startedAt);
      await sleep(POLL_MS);
    }
  }

  async #isReady() {
    try {
      return (await fetch(`${this.base}/api/health/ready`, { signal: AbortSignal.timeout(2_000) })).ok;
    } catch {
      return false;
    }
  }

  async #end() {
    const child = this.#child;
    if (!child) return;
    this.#child = undefined;
    child.kill('SIGTERM');
    const late = await Promise.race([this.#exited.then(() => false), sleep(STOP_TIMEOUT_MS, true, { ref: false })]);
    if (late) process.kill(-child.pid, 'SIGKILL');
    await this.#exited;
  }
}
