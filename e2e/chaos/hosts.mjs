/** The hosts: one sshd each, on an address of its own, reached through a proxy that can go dead; some with a cable to pull. */
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureLoginUser, ensureSshd, startSshd } from '../../scripts/lib/sshd.mjs';
import { descendants, readOrEmpty, signalAll } from '../../scripts/lib/sshd-processes.mjs';
import { readEvidence } from './evidence.mjs';
import { Namespace } from './namespace.mjs';
import { Proxy } from './proxy.mjs';

/** In a network of its own every port is free. */
const PORT_WITHIN = 2222;

/** Every host has a home of its own, so that what is kept there is not shared. */
class Host {
  #sshd = null;
  /** Ways to it that were opened, each a registered address of its own. */
  #ways = [];

  /** @param {Namespace | null} namespace the network that it stands in; null: this machine's own */
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

  /** Its sshd starts within its network. */
  #enter(sshdPath) {
    this.namespace.make();
    this.sshdPath = path.join(this.dir, 'sshd-within');
    writeFileSync(this.sshdPath, `#!/bin/sh\nexec ip netns exec ${this.namespace.name} ${sshdPath} "$@"\n`);
    chmodSync(this.sshdPath, 0o755);
  }

  async start() {
    // It could not be seen to start behind a pulled cable.
    this.namespace?.plug();
    const settings = `CHAOS_EVIDENCE=${this.evidenceFile} CHAOS_HOST=${this.name} HOME=${this.home}`;
    this.#sshd = await startSshd({
      sshdPath: this.sshdPath,
      dir: path.join(this.dir, 'sshd'),
      addresses: [this.namespace?.address ?? this.address],
      port: this.port ?? (this.namespace ? PORT_WITHIN : 0),
      claimed: this.namespace !== null,
      authorizedKeys: [this.authorizedKey],
      extraConfig: `SetEnv ${settings}`,
    });
    this.port = this.#sshd.port;
  }

  /** A way to this host under an address that nobody has had before. */
  async openWay() {
    const way = new Proxy(() => ({ host: this.namespace?.address ?? this.address, port: this.port }));
    await way.listen(this.address);
    this.#ways.push(way);
    return { hostname: this.address, port: way.port };
  }

  /** @param concerns which connections; absent: all, by its cable where it has one */
  freeze(concerns) {
    if (this.namespace && !concerns) return this.namespace.pull();
    for (const way of this.#ways) way.freeze(concerns);
  }

  thaw(options) {
    this.namespace?.plug();
    for (const way of this.#ways) way.thaw(options);
  }

  async closeWays() {
    await Promise.all(this.#ways.splice(0).map((way) => way.close()));
  }

  /** One of the processes that serve a connection; answers whether there was one. */
  killSession(pick) {
    const sessions = this.#servers().filter((pid) => pid !== this.#sshd?.pid);
    if (sessions.length === 0) return false;
    signalAll([pick(sessions)], 'SIGKILL');
    return true;
  }

  /** Every process of sshd; the commands go on without it. */
  killServer() {
    signalAll(this.#servers(), 'SIGKILL');
    this.#sshd = null;
  }

  /** Everything that runs there. */
  killAll() {
    this.#sshd?.kill();
    this.#sshd = null;
  }

  #servers() {
    if (!this.#sshd) return [];
    const isServer = (pid) => readOrEmpty(`/proc/${pid}/comm`).startsWith('sshd');
    return [this.#sshd.pid, ...descendants(this.#sshd.pid).filter(isServer)];
  }

  /** @param {Set<string>} past runs of earlier trials */
  evidence(past) {
    return readEvidence(this.name, this.evidenceFile, past);
  }

  /** Before a new trial, whose runs have other names. */
  forget() {
    truncateSync(this.evidenceFile);
  }

  get evidenceBytes() {
    return statSync(this.evidenceFile).size;
  }

  async stop() {
    await this.closeWays();
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
 * @param {{ apart: number, firstHost: number }} more `apart`: how many of them, the last ones, stand in networks of their
 *   own; `firstHost`: what their addresses are counted from
 * @returns {Promise<Host[]>} prepared hosts that are not yet started
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
