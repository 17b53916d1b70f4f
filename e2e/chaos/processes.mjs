/** Processes of the built product, each with its own proxy to the database. A killed process is restarted. */
import { spawn } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithParent } from '../../scripts/lib/paths.mjs';
import { Proxy } from './proxy.mjs';

/** Time limit for a start in ms. Many processes start at the same time, beside the runs of two rigs. */
const READY_MS = 180_000;
const STOP_MS = 25_000;
/** Delay before restarting a process that can't start, for example without a database, in ms. */
const RESTART_MS = 700;
const LOG_TAIL_LINES = 20;

export class ProductProcess {
  #child = null;
  #keepRunning = false;
  #timer = null;
  stopped = false;

  /**
   * @param {{ role: 'all' | 'api' | 'worker', name: string, dist: string, folder: string, logFile: string, settings:
   *   object, database: (() => object) | null }} options `database`: target of the proxy; null: embedded database
   */
  constructor(options) {
    Object.assign(this, options);
    this.proxy = options.database && new Proxy(options.database);
    this.dataDir = path.join(options.folder, `${options.name}-data`);
    this.log = createWriteStream(options.logFile, { flags: 'w' });
  }

  get pid() {
    return this.#child?.pid ?? null;
  }

  get alive() {
    return this.#child !== null && !this.stopped;
  }

  async start() {
    const proxyPort = await this.proxy?.listen('127.0.0.1');
    const addressFor = (user) =>
      proxyPort ? `postgresql://${user}@127.0.0.1:${proxyPort}/runward?sslmode=disable` : '';
    this.port = await freePort();
    this.url = `http://127.0.0.1:${this.port}`;
    this.env = {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('RUNWARD_'))),
      ...this.settings,
      DATABASE_URL: addressFor('postgres'),
      RUNWARD_DATABASE_APP_URL: addressFor('runward_app'),
      RUNWARD_ROLE: this.role,
      RUNWARD_PORT: String(this.port),
      RUNWARD_DATA_DIR: this.dataDir,
    };
    this.#keepRunning = true;
    this.#launch();
    await this.ready();
  }

  #launch() {
    const [program, ...args] = [...endWithParent(), process.execPath, path.join(this.dist, 'main.js')];
    this.log.write(`--- ${new Date().toISOString()} ${this.name} starts\n`);
    const child = spawn(program, args, { env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    this.isReady = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes) => {
        this.log.write(bytes);
        if (/ready/.test(bytes.toString())) this.isReady = true;
      });
    }
    child.once('exit', (code, signal) => {
      this.log.write(`--- ${new Date().toISOString()} ${this.name} ended: ${signal ?? code}\n`);
      if (this.#child !== child) return;
      this.#child = null;
      this.isReady = false;
      this.stopped = false;
      if (this.#keepRunning) this.#timer = setTimeout(() => this.#launch(), this.againMs ?? RESTART_MS);
      this.againMs = undefined;
    });
  }

  async ready(ms = READY_MS) {
    const deadline = performance.now() + ms;
    while (!this.isReady) {
      if (performance.now() > deadline) throw new Error(this.#notReady(ms));
      await sleep(50);
    }
  }

  #notReady(ms) {
    const state = this.pid === null ? 'not running' : `process ${this.pid}${this.stopped ? ', stopped' : ''}`;
    const lines = readFileSync(this.log.path, 'utf8').trimEnd().split('\n').slice(-LOG_TAIL_LINES);
    return [`${this.name} (${state}) was not ready within ${ms / 1000} s. Its log ends with:`, ...lines].join('\n  ');
  }

  signal(signal, againMs) {
    if (!this.#child) return false;
    if (againMs !== undefined) this.againMs = againMs;
    if (signal === 'SIGSTOP') this.stopped = true;
    if (signal === 'SIGCONT') this.stopped = false;
    return this.#child.kill(signal);
  }

  async end() {
    this.#keepRunning = false;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child) {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await exited;
      clearTimeout(timer);
    }
    await this.proxy?.close();
    this.log.end();
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
