/** Persistent HTTP connection with one request at a time, so that the load generator costs little. */
import { connect } from 'node:net';

export class Connection {
  static open(base, headers) {
    const { hostname, port } = new URL(base);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true }, () =>
        resolve(new Connection(socket, `host: ${hostname}:${port}\r\n${headersOf(headers)}`)),
      ).once('error', reject);
    });
  }

  constructor(socket, head) {
    this.socket = socket;
    this.head = head;
    this.received = Buffer.alloc(0);
    this.waiting = null;
    socket.on('data', (piece) => this.take(piece));
    socket.on('close', () => this.waiting?.reject(new Error('The connection was closed.')));
  }

  call(method, path, body) {
    const text = body === undefined ? '' : JSON.stringify(body);
    const more = text && `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`;
    return new Promise((resolve, reject) => {
      if (!this.socket.writable) throw new Error('The connection was closed.');
      this.waiting = { resolve, reject, what: `${method} ${path}` };
      this.socket.write(`${method} ${path} HTTP/1.1\r\n${this.head}${more}\r\n${text}`);
    });
  }

  close() {
    this.waiting = null;
    this.socket.destroy();
  }

  take(piece) {
    this.received = this.received.length > 0 ? Buffer.concat([this.received, piece]) : piece;
    const end = this.received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.received.toString('latin1', 0, end);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
    if (this.received.length < end + 4 + length) return;
    const body = this.received.toString('utf8', end + 4, end + 4 + length);
    this.received = this.received.subarray(end + 4 + length);
    const status = Number(head.slice(9, 12));
    // The server may send, for example, 408 before it closes the connection. The next request then fails.
    if (!this.waiting) return;
    const { resolve, reject, what } = this.waiting;
    this.waiting = null;
    if (status >= 400) reject(new Error(`${what}: ${status} ${body}`));
    else resolve(JSON.parse(body));
  }
}

const headersOf = (headers) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
