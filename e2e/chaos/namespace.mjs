/** Network namespace of a host. Its network interface can be disabled, which has the effect of a pulled cable. */
import { execFileSync } from 'node:child_process';

const ip = (...args) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });

/** Whether this machine allows creating network namespaces, which requires root and iproute2. */
export function namespacesWork() {
  if (process.getuid() !== 0) return false;
  const probe = `rwprobe${process.pid}`;
  try {
    ip('netns', 'add', probe);
    ip('netns', 'del', probe);
    return true;
  } catch {
    return false;
  }
}

export class Namespace {
  /** @param {number} index from 1 */
  constructor(index) {
    this.name = `rw${process.pid}n${index}`;
    // Each process and each host gets its own /30 network.
    const net = (base) => `10.${213 + Math.floor(index / 60)}.${process.pid % 200}.${4 * (index % 60) + base}`;
    Object.assign(this, { near: net(1), address: net(2) });
  }

  make() {
    const [cable, inside] = [this.name, 'eth0'];
    ip('netns', 'add', this.name);
    ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', inside, 'netns', this.name);
    ip('addr', 'add', `${this.near}/30`, 'dev', cable);
    ip('link', 'set', cable, 'up');
    ip('-n', this.name, 'addr', 'add', `${this.address}/30`, 'dev', inside);
    ip('-n', this.name, 'link', 'set', 'lo', 'up');
    this.plug();
  }

  pull() {
    ip('-n', this.name, 'link', 'set', 'eth0', 'down');
  }

  plug() {
    ip('-n', this.name, 'link', 'set', 'eth0', 'up');
  }

  remove() {
    ip('netns', 'del', this.name);
  }
}
