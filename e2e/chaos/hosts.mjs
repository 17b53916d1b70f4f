/** The hosts: one sshd each, on an address of its own, reached through a proxy that can go dead. */
import { chownSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureLoginUser, ensureSshd, startSshd } from '../../scripts/lib/sshd.mjs';
import { descendants, readOrEmpty, signalAll } from '../../scripts/lib/sshd-processes.mjs';
import { readEvidence } from './evidence.mjs';
import { Proxy } from './proxy.mjs';

/** Every host has a home of its own, so that what is kept there is not shared. */
class Host {
  #sshd = null;
  /** Ways to it that were opened, each a registered address of its own. */
  #ways = [];

  constructor(name, address, folder, user) {
    Object.assign(this, { name, address, user });
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
    if (process.getuid() === 0) {
      const { uid, gid } = accountOf(this.user);
      for (const file of [this.home, this.evidenceFile]) chownSync(file, uid, gid);
    }
  }

  async start() {
    const settings = `CHAOS_EVIDENCE=${this.evidenceFile} CHAOS_HOST=${this.name} HOME=${this.home}`;
    this.#sshd = await startSshd({
      sshdPath: this.sshdPath,
      dir: path.join(this.dir, 'sshd'),
      addresses: [this.address],
      port: this.port ?? 0,
      authorizedKeys: [this.authorizedKey],
      extraConfig: `SetEnv ${settings}`,
    });
    this.port = this.#sshd.port;
  }

  /** A way to this host under an address that nobody has had before. */
  async openWay() {
    const way = new Proxy(() => ({ host: this.address, port: this.port }));
    await way.listen(this.address);
    this.#ways.push(way);
    return { hostname: this.address, port: way.port };
  }

  freeze(concerns) {
    for (const way of this.#ways) way.freeze(concerns);
  }

  thaw(options) {
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

  evidence() {
    return readEvidence(this.name, this.evidenceFile);
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
  }
}

function accountOf(name) {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${name}:`));
  const [, , uid, gid] = line.split(':').map(Number);
  return { uid, gid };
}

/** @returns {Promise<Host[]>} prepared hosts that are not yet started */
export async function makeHosts(count, folder, authorizedKey) {
  const sshdPath = await ensureSshd();
  const user = await ensureLoginUser();
  return Array.from({ length: count }, (_, index) => {
    const host = new Host(`h${index + 1}`, `127.0.9.${index + 1}`, folder, user);
    host.prepare(authorizedKey, sshdPath);
    return host;
  });
}
