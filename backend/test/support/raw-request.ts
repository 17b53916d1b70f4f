import { once } from 'node:events';
import net from 'node:net';
import { eventually } from './eventually.js';

/** A connection on which a test writes HTTP byte by byte. */
export interface RawConnection {
  /** Writes text or bytes as they are. */
  write(part: string | Buffer): void;
  /** Everything that came until now. */
  received(): string;
  /** Waits until so many answers have come, whole or not; resolves to the status of each. */
  statuses(count: number): Promise<number[]>;
  /** Whether the other side has said that nothing more will come. */
  ended(): boolean;
  /** Waits until the other side has said that nothing more will come. */
  end(): Promise<void>;
  close(): void;
}

/** Connects to the server at `url`. */
export async function connectRaw(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let text = '';
  let over = false;
  socket.on('error', () => (over = true));
  socket.on('end', () => (over = true));
  socket.setEncoding('latin1').on('data', (part: string) => (text += part));
  await once(socket, 'connect');
  const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  return {
    write: (part) => void socket.write(part),
    received: () => text,
    async statuses(count) {
      await eventually(`${count} answers`, () => statuses().length >= count);
      return statuses();
    },
    ended: () => over,
    end: async () => void (await eventually('the end of the connection', () => over)),
    close: () => void socket.destroy(),
  };
}

/** The head of a request, with the empty line behind it. */
export const rawHead = (method: string, path: string, headers: Record<string, string | number> = {}): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n');
