/** Environment of a trial: database, hosts, product processes, watch and signed-in client. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from './client.mjs';
import { makeHosts } from './hosts.mjs';
import { Postgres } from './postgres.mjs';
import { ProductProcess } from './processes.mjs';
import { ProductDatabase } from './product-database.mjs';
import { Watch } from './watch.mjs';

const ADMIN = { email: 'admin@chaos.test', password: 'a password for the chaos', tenant: 'chaos' };
const APPROVERS = ['ada', 'bea'];
const CHILD_WORKERS = 2;
/** Number of runs in parallel, enough for a trial. Each slot of an idle worker polls the queue every second. */
const RUN_SLOTS = '6';
/** Slice sizes, alternating by worker: small slices distribute a step, and workers with large slices take them over. */
const SLICE_HOSTS = ['2', '100'];
/** Time that a host may be unreachable before the engine gives up its command, in s. */
const RECOVERY_SECONDS = '20';

export class Rig {
  #ends = [];

  /**
   * @param {{ dist: string, artifacts: string, database: 'outside' | 'embedded', hosts: number, firstHost: number,
   *   apart: number, apis: number, workers: number }} options `firstHost`: number of the first host address, unique
   *   across rigs; `apart`: number of hosts with a network namespace
   */
  constructor(options) {
    this.options = options;
    this.folder = mkdtempSync(path.join(tmpdir(), 'runward-chaos-'));
    chmodSync(this.folder, 0o755);
    this.#ends.push(() => rmSync(this.folder, { recursive: true, force: true }));
    this.pastRuns = new Set();
  }

  async start() {
    const { artifacts, hosts, apis, workers } = this.options;
    mkdirSync(artifacts, { recursive: true });
    const many = (role, from, to) => Array.from({ length: to - from }, (_, index) => this.#process(role, from + index));
    if (this.options.database === 'embedded') {
      const main = this.#process('all', 0);
      this.postgres = new ProductDatabase(main);
      this.apis = [main, ...many('api', 1, apis)];
      this.outsideWorkers = many('worker', CHILD_WORKERS, workers);
    } else {
      this.postgres = await new Postgres(this.folder).start();
      this.#ends.push(() => this.postgres.stop());
      this.apis = many('api', 0, apis);
      this.outsideWorkers = many('worker', 0, workers);
    }
    await this.apis[0].start();
    if (!this.postgres.up) await this.postgres.start();
    this.watch = new Watch(this.postgres);
    this.#ends.push(() => this.watch.stop());
    await this.watch.start();
    await Promise.all([...this.apis.slice(1), ...this.outsideWorkers].map((each) => each.start()));
    this.client = await this.#signedIn(ADMIN.email, ADMIN.password);
    this.approvers = await Promise.all(APPROVERS.map((name) => this.#member(name, 'operator')));
    // A grant does not count if the run's requester gave it after the start of the run. So another admin gives the
    // grants.
    this.grantor = await this.#member('grantor', 'admin');
    const key = await this.client.demand('POST', '/api/ssh-keys', { name: 'chaos', generate: { type: 'ed25519' } });
    this.keyId = key.id;
    const { apart, firstHost } = this.options;
    this.hosts = await makeHosts(hosts, { apart, firstHost }, this.folder, key.publicKey);
    for (const host of this.hosts) {
      await host.start();
      this.#ends.push(() => host.stop());
      // Each trial uses a new port of the host and registers it in a new environment.
      const reason = 'One host represents one machine per trial.';
      await this.client.demand('PUT', `/api/inventory/shared-addresses/${host.address}`, { reason });
    }
  }

  async #signedIn(email, password) {
    const client = new Client(() => this.apis.filter((api) => api.isReady).map((api) => api.url));
    await client.login(email, password);
    return client;
  }

  async #member(name, role) {
    const [email, password] = [`${name}@chaos.test`, ADMIN.password];
    const { id } = await this.client.demand('POST', '/api/members', { email, name, role, password });
    return { userId: id, client: await this.#signedIn(email, password) };
  }

  get processes() {
    return [...this.apis, ...this.outsideWorkers];
  }

  get workers() {
    return [...(this.postgres.workers?.() ?? []), ...this.outsideWorkers];
  }

  #process(role, index) {
    const { dist, artifacts } = this.options;
    const settings = {
      RUNWARD_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      RUNWARD_ADMIN_EMAIL: ADMIN.email,
      RUNWARD_ADMIN_PASSWORD: ADMIN.password,
      RUNWARD_TENANT: ADMIN.tenant,
      RUNWARD_RATE_LIMIT_PER_MINUTE: '1000000',
      RUNWARD_RECOVERY_SECONDS: RECOVERY_SECONDS,
      RUNWARD_WORKERS: String(CHILD_WORKERS),
      RUNWARD_RUN_SLOTS: RUN_SLOTS,
      RUNWARD_SLICE_HOSTS: SLICE_HOSTS[index % SLICE_HOSTS.length],
    };
    const name = `${role}-${index + 1}`;
    const process = new ProductProcess({
      role,
      name,
      dist,
      folder: this.folder,
      logFile: path.join(artifacts, `${name}.log`),
      database: role === 'all' ? null : () => this.postgres.socket,
      settings,
    });
    this.#ends.push(() => process.end());
    return process;
  }

  /** Reverts all faults. Resolves when the product is ready again. */
  async heal() {
    for (const each of new Set([...this.processes, ...this.workers])) {
      each.signal('SIGCONT');
      each.proxy?.thaw();
    }
    for (const host of this.hosts) {
      host.thaw();
      if (!host.up) await host.start();
    }
    if (!this.postgres.up) await this.postgres.start();
    await Promise.all(this.processes.map((each) => each.ready()));
  }

  async stop() {
    for (const end of this.#ends.reverse()) {
      await Promise.resolve(end()).catch((error) => process.stderr.write(`While ending: ${error.message}\n`));
    }
  }
}
