import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import net from 'node:net';

/**
 * TCP proxy on loopback that simulates a pulled cable. `freeze` stops forwarding in both directions and keeps every
 * connection open. `thaw` continues forwarding or closes the frozen connections.
 */
export class Proxy {
  #server;
  #connections = new Set();
  /** Returns for a client's port whether the client is cut off; null: no client is cut off. */
  #frozen = null;

  /** @param {() => object} target called for each connection; returns an argument for `net.connect` */
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

  /**
   * @param {(clientPort: number) => boolean} concerns returns whether to cut off the client with this port; default:
   *   all clients
   */
  freeze(concerns = () => true) {
    this.#frozen = concerns;
    for (const connection of this.#connections)
      if (concerns(connection.client.remotePort)) freezeConnection(connection);
  }

  thaw({ close = false } = {}) {
    this.#frozen = null;
    for (const connection of this.#connections) {
      if (!connection.frozen) continue;
      if (close) connection.end();
      else this.#forward(connection);
    }
  }

  close() {
    for (const connection of this.#connections) connection.end();
    return new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(client) {
    const connection = { client, upstream: null, frozen: false, end: () => undefined };
    connection.end = () => {
      this.#connections.delete(connection);
      client.destroy();
      connection.upstream?.destroy();
    };
    this.#connections.add(connection);
    client.once('close', connection.end).on('error', connection.end);
    if (this.#frozen?.(client.remotePort)) connection.frozen = true;
    else this.#forward(connection);
  }

  #forward(connection) {
    connection.frozen = false;
    if (!connection.upstream) {
      connection.upstream = net.connect(this.target());
      connection.upstream.once('close', connection.end).on('error', connection.end);
    }
    connection.client.pipe(connection.upstream);
    connection.upstream.pipe(connection.client);
  }
}

function freezeConnection(connection) {
  connection.frozen = true;
  connection.client.unpipe().pause();
  connection.upstream?.unpipe().pause();
}

/** Lifetime of the cached ports of a process in ms. After it, an unknown port is looked up again. */
const FRESH_CONNECTION_MS = 5;

/** Returns a predicate: whether a client's port belongs to this process. */
export function clientsOf(pid) {
  let [ports, seenAt] = [portsOf(pid), performance.now()];
  return (port) => {
    if (!ports.has(port) && performance.now() - seenAt > FRESH_CONNECTION_MS)
      [ports, seenAt] = [portsOf(pid), performance.now()];
    return ports.has(port);
  };
}

function portsOf(pid) {
  const inodes = new Set();
  try {
    for (const entry of readdirSync(`/proc/${pid}/fd`)) {
      const inode = /^socket:\[(\d+)\]$/.exec(readLink(`/proc/${pid}/fd/${entry}`))?.[1];
      if (inode) inodes.add(inode);
    }
  } catch {
    return new Set();
  }
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1);
  const fields = rows.map((row) => row.trim().split(/\s+/)).filter((row) => inodes.has(row[9]));
  return new Set(fields.map((row) => Number.parseInt(row[1].split(':')[1], 16)));
}

function readLink(path) {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
