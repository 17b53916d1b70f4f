/** A line between two programs that can go dead without being closed, as a pulled cable does. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import net from 'node:net';

/**
 * A TCP proxy on loopback. `freeze` stops forwarding, both ways, and keeps every connection open; `thaw` goes on, or closes
 * what was frozen.
 */
export class Proxy {
  #server;
  #lines = new Set();
  /** Which clients are cut off: a function of a client's port, or null for none. */
  #frozen = null;

  /** @param {() => object} target as `net.connect` takes it, asked for each connection */
  constructor(target) {
    this.target = target;
    this.#server = net.createServer({ pauseOnConnect: true }, (client) => this.#accept(client));
  }

  /** @returns {Promise<number>} the port */
  listen(host, port = 0) {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => {
        this.port = this.#server.address().port;
        resolve(this.port);
      });
    });
  }

  /** @param {(clientPort: number) => boolean} concerns which clients are cut off; all unless told */
  freeze(concerns = () => true) {
    this.#frozen = concerns;
    for (const line of this.#lines) if (concerns(line.client.remotePort)) hold(line);
  }

  thaw({ close = false } = {}) {
    this.#frozen = null;
    for (const line of this.#lines) {
      if (!line.held) continue;
      if (close) line.end();
      else this.#forward(line);
    }
  }

  close() {
    for (const line of this.#lines) line.end();
    return new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(client) {
    const line = { client, upstream: null, held: false, end: () => undefined };
    line.end = () => {
      this.#lines.delete(line);
      client.destroy();
      line.upstream?.destroy();
    };
    this.#lines.add(line);
    client.once('close', line.end).on('error', line.end);
    if (this.#frozen?.(client.remotePort)) line.held = true;
    else this.#forward(line);
  }

  #forward(line) {
    line.held = false;
    if (!line.upstream) {
      line.upstream = net.connect(this.target());
      line.upstream.once('close', line.end).on('error', line.end);
    }
    line.client.pipe(line.upstream);
    line.upstream.pipe(line.client);
  }
}

function hold(line) {
  line.held = true;
  line.client.unpipe().pause();
  line.upstream?.unpipe().pause();
}

/** How long what was seen of a process' connections is taken for true, in ms: a new connection is looked up anew. */
const FRESH_MS = 5;

/** Tells whether a client's port belongs to a process of this machine. */
export function clientsOf(pid) {
  let [ports, seenAt] = [portsOf(pid), performance.now()];
  return (port) => {
    if (!ports.has(port) && performance.now() - seenAt > FRESH_MS) [ports, seenAt] = [portsOf(pid), performance.now()];
    return ports.has(port);
  };
}

/** The local ports of a process' connections. */
function portsOf(pid) {
  const inodes = new Set();
  try {
    for (const entry of readdirSync(`/proc/${pid}/fd`)) {
      const inode = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${entry}`))?.[1];
      if (inode) inodes.add(inode);
    }
  } catch {
    return new Set(); // it has ended
  }
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1);
  const fields = rows.map((row) => row.trim().split(/\s+/)).filter((row) => inodes.has(row[9]));
  return new Set(fields.map((row) => Number.parseInt(row[1].split(':')[1], 16)));
}

function linkOf(path) {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
