import { once } from 'node:events';
import net from 'node:net';
import { eventually } from './eventually.js';

/** Connection on which a test writes HTTP byte by byte. */
export interface RawConnection {
  write(part: string | Buffer): void;
  received(): string;
  /** Waits for this number of responses, complete or not. @returns their statuses */
  statuses(count: number): Promise<number[]>;
  ended(): boolean;
  end(): Promise<void>;
  close(): void;
}

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
      await eventually(`${count} responses`, () => statuses().length >= count);
      return statuses();
    },
    ended: () => over,
    end: async () => void (await eventually('the end of the connection', () => over)),
    close: () => void socket.destroy(),
  };
}

/** Includes the empty line. */
export const rawHead = (method: string, path: string, headers: Record<string, string | number> = {}): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n');
