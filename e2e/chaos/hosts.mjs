/**
 * Hosts of the trials: one sshd each, with its own address, behind a proxy that can stop forwarding. Some have a
 * network namespace whose interface can be disabled.
 */
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureLoginUser, ensureSshd, startSshd } from '../../scripts/lib/sshd.mjs';
import { descendants, readOrEmpty, signalAll } from '../../scripts/lib/sshd-processes.mjs';
import { readEvidence } from './evidence.mjs';
import { Namespace } from './namespace.mjs';
import { Proxy } from './proxy.mjs';

const NAMESPACE_PORT = 2222;

/** Each host has its own home folder, because host journals are stored there. */
class Host {
  #sshd = null;
  #proxies = [];

  /** @param {Namespace | null} namespace network of the host; null: network of this machine */
  constructor(name, address, { folder, user, namespace }) {
    Object.assign(this, { name, address, user, namespace });
    this.dir = path.join(folder, name);
    this.home = path.join(this.dir, 'home');
    this.evidenceFile = path.join(this.home, 'evidence');
  }

  get up() {
    return this.#sshd !== null;
  }

  get hostKey() {
    return { publicKey: `${this.#sshd.hostKey.type} ${this.#sshd.hostKey.publicKey}` };
  }

  prepare(authorizedKey, sshdPath) {
    Object.assign(this, { authorizedKey, sshdPath });
    mkdirSync(this.home, { recursive: true });
    writeFileSync(this.evidenceFile, '');
    if (this.namespace) this.#enter(sshdPath);
    if (process.getuid() === 0) {
      const { uid, gid } = accountOf(this.user);
      for (const file of [this.home, this.evidenceFile]) chownSync(file, uid, gid);
    }
  }

  #enter(sshdPath) {
    this.namespace.make();
    this.sshdPath = path.join(this.dir, 'sshd-within');
    writeFileSync(this.sshdPath, `#!/bin/sh\nexec ip netns exec ${this.namespace.name} ${sshdPath} "$@"\n`);
    chmodSync(this.sshdPath, 0o755);
  }

  async start() {
    // With the network disabled, the harness could not notice that sshd has started.
    this.namespace?.plug();
    const settings = `CHAOS_EVIDENCE=${this.evidenceFile} CHAOS_HOST=${this.name} HOME=${this.home}`;
    this.#sshd = await startSshd({
      sshdPath: this.sshdPath,
      dir: path.join(this.dir, 'sshd'),
      addresses: [this.namespace?.address ?? this.address],
      port: this.port ?? (this.namespace ? NAMESPACE_PORT : 0),
      claimed: this.namespace !== null,
      authorizedKeys: [this.authorizedKey],
      extraConfig: `SetEnv ${settings}`,
    });
    this.port = this.#sshd.port;
  }

  async openAddress() {
    const proxy = new Proxy(() => ({ host: this.namespace?.address ?? this.address, port: this.port }));
    await proxy.listen(this.address);
    this.#proxies.push(proxy);
    return { hostname: this.address, port: proxy.port };
  }

  /**
   * @param concerns which connections to freeze; default: all. If the host has a namespace, its interface is disabled
   *   instead
   */
  freeze(concerns) {
    if (this.namespace && !concerns) return this.namespace.pull();
    for (const proxy of this.#proxies) proxy.freeze(concerns);
  }

  thaw(options) {
    this.namespace?.plug();
    for (const proxy of this.#proxies) proxy.thaw(options);
  }

  async closeAddresses() {
    await Promise.all(this.#proxies.splice(0).map((proxy) => proxy.close()));
  }

  /** Kills a process that serves a connection. @returns whether there was one */
  killSession(pick) {
    const sessions = this.#servers().filter((pid) => pid !== this.#sshd?.pid);
    if (sessions.length === 0) return false;
    signalAll([pick(sessions)], 'SIGKILL');
    return true;
  }

  /** Kills all processes of sshd. Commands continue to run. */
  killServer() {
    signalAll(this.#servers(), 'SIGKILL');
    this.#sshd = null;
  }

  killAll() {
    this.#sshd?.kill();
    this.#sshd = null;
  }

  #servers() {
    if (!this.#sshd) return [];
    const isServer = (pid) => readOrEmpty(`/proc/${pid}/comm`).startsWith('sshd');
    return [this.#sshd.pid, ...descendants(this.#sshd.pid).filter(isServer)];
  }

  evidence(past) {
    return readEvidence(this.name, this.evidenceFile, past);
  }

  forget() {
    truncateSync(this.evidenceFile);
  }

  get evidenceBytes() {
    return statSync(this.evidenceFile).size;
  }

  async stop() {
    await this.closeAddresses();
    await this.#sshd?.stop();
    this.namespace?.remove();
  }
}

function accountOf(name) {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${name}:`));
  const [, , uid, gid] = line.split(':').map(Number);
  return { uid, gid };
}

/**
 * @param {{ apart: number, firstHost: number }} more `apart`: number of hosts with a network namespace, at the end of
 *   the list; `firstHost`: number of the first address
 * @returns {Promise<Host[]>} prepared hosts, not yet started
 */
export async function makeHosts(count, { apart, firstHost }, folder, authorizedKey) {
  const sshdPath = await ensureSshd();
  const user = await ensureLoginUser();
  return Array.from({ length: count }, (_, index) => {
    const namespace = index >= count - apart ? new Namespace(firstHost + index) : null;
    const host = new Host(`h${index + 1}`, `127.0.9.${firstHost + index}`, { folder, user, namespace });
    host.prepare(authorizedKey, sshdPath);
    return host;
  });
}
