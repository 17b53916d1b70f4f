/** The back end as the dev command's child: started, and started anew with what was compiled. */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { childEnvironment, endWithParent, inRoot, productNode, root } from '../paths.mjs';

const MAIN = 'backend/.dev/dist/main.js';
/** Longer than the product itself takes at most to hand over and end. */
const STOP_TIMEOUT_MS = 30_000;
const LOOK_MS = 100;

export class BackEnd {
  #child;
  #exited = Promise.resolve();
  /** Starts and stops one after the other. */
  #queue = Promise.resolve();
  #waiting = false;

  /**
   * @param base address of its API
   * @param env its settings
   * @param inspectPort where debuggers attach to it; undefined: nowhere
   * @param onReady hears when it serves
   * @param onEnd hears when it ended by itself
   */
  constructor({ base, env, inspectPort, onReady, onEnd }) {
    this.base = base;
    this.env = { ...env, ...(inspectPort === undefined ? {} : { DEV_INSPECT_PORT: String(inspectPort) }) };
    const inspect = pathToFileURL(inRoot('scripts/lib/dev/inspect.mjs')).href;
    this.args = inspectPort === undefined ? [inRoot(MAIN)] : ['--import', inspect, inRoot(MAIN)];
    this.onReady = onReady;
    this.onEnd = onEnd;
  }

  /** Starts it with what was compiled last; one that runs is ended in order before. */
  restart() {
    // Of changes that come while it is being started only the last one counts.
    if (this.#waiting) return;
    this.#waiting = true;
    this.#queue = this.#queue.then(async () => {
      await this.#end();
      this.#waiting = false;
      this.#start();
    });
  }

  /** Ends it and everything that it started, the database last. */
  stop() {
    this.#waiting = true;
    this.#queue = this.#queue.then(() => this.#end());
    return this.#queue;
  }

  #start() {
    const [command, ...args] = [...endWithParent(), productNode(), ...this.args];
    const begun = performance.now();
    const env = childEnvironment(this.env);
    // A session of its own: Ctrl-C reaches it through us.
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
    this.#child = child;
    this.#exited = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
    void this.#exited.then(() => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.onEnd();
    });
    void this.#tellReady(child, begun);
  }

  async #tellReady(child, begun) {
    while (this.#child === child) {
      if (await this.#isReady()) return this.onReady(performance.now() - begun);
      await sleep(LOOK_MS);
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
