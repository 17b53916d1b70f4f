/** All that a trial stands on: the database, the hosts, the product's processes, the watch and a signed-in client. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from './client.mjs';
import { makeHosts } from './hosts.mjs';
import { Postgres } from './postgres.mjs';
import { ProductProcess } from './processes.mjs';
import { Watch } from './watch.mjs';

const ADMIN = { email: 'admin@chaos.test', password: 'a password for the chaos', tenant: 'chaos' };
const APPROVERS = ['ada', 'bea'];
/** By worker in turn: those with few hosts to a slice share the steps of a run out, the others take over what was shared out. */
const SLICE_HOSTS = ['2', '100'];
/** How long a host may be away before the engine gives its command up, in seconds. */
const RECOVERY_SECONDS = '20';

export class Rig {
  #ends = [];

  /** @param {{ dist: string, artifacts: string, hosts: number, apart: number, apis: number, workers: number }} options `apart`: hosts in networks of their own */
  constructor(options) {
    this.options = options;
    this.folder = mkdtempSync(path.join(tmpdir(), 'runward-chaos-'));
    chmodSync(this.folder, 0o755);
    this.#ends.push(() => rmSync(this.folder, { recursive: true, force: true }));
    /** Runs of the trials that are over. */
    this.pastRuns = new Set();
  }

  async start() {
    const { artifacts, hosts, apis, workers } = this.options;
    mkdirSync(artifacts, { recursive: true });
    this.postgres = await new Postgres(this.folder).start();
    this.#ends.push(() => this.postgres.stop());
    this.apis = Array.from({ length: apis }, (_, index) => this.#process('api', index));
    this.workers = Array.from({ length: workers }, (_, index) => this.#process('worker', index));
    // The first one makes the schema.
    await this.apis[0].start();
    this.watch = new Watch(this.postgres);
    this.#ends.push(() => this.watch.stop());
    await this.watch.start();
    await Promise.all([...this.apis.slice(1), ...this.workers].map((each) => each.start()));
    this.client = await this.#signedIn(ADMIN.email, ADMIN.password);
    this.approvers = await Promise.all(APPROVERS.map((name) => this.#approver(name)));
    const key = await this.client.demand('POST', '/api/ssh-keys', { name: 'chaos', generate: { type: 'ed25519' } });
    this.keyId = key.id;
    this.hosts = await makeHosts(hosts, this.options.apart, this.folder, key.publicKey);
    for (const host of this.hosts) {
      await host.start();
      this.#ends.push(() => host.stop());
    }
  }

  async #signedIn(email, password) {
    const client = new Client(() => this.apis.filter((api) => api.isReady).map((api) => api.url));
    await client.login(email, password);
    return client;
  }

  async #approver(name) {
    const [email, password] = [`${name}@chaos.test`, ADMIN.password];
    const { id } = await this.client.demand('POST', '/api/members', { email, name, role: 'operator', password });
    return { userId: id, client: await this.#signedIn(email, password) };
  }

  get processes() {
    return [...this.apis, ...this.workers];
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
      RUNWARD_SLICE_HOSTS: SLICE_HOSTS[index % SLICE_HOSTS.length],
    };
    const name = `${role}-${index + 1}`;
    const process = new ProductProcess({
      role,
      name,
      dist,
      folder: this.folder,
      logFile: path.join(artifacts, `${name}.log`),
      database: () => this.postgres.socket,
      settings,
    });
    this.#ends.push(() => process.end());
    return process;
  }

  /** Everything that a fault left behind is put right; resolves when the product serves again. */
  async heal() {
    for (const each of this.processes) {
      each.signal('SIGCONT');
      each.line.thaw();
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
