import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';

export interface DatabaseGate {
  url: string;
  cut(): Promise<void>;
  /** Breaks all connections and accepts new ones. */
  dropConnections(): void;
  /** Stops traffic on all open connections, but accepts new ones. */
  stopAnswering(): void;
  restore(): Promise<void>;
}

export async function openGate(url: string): Promise<DatabaseGate> {
  const parsed = new URL(url);
  const folder = parsed.searchParams.get('host');
  const port = Number(parsed.port || 5432);
  const target: NetConnectOpts = folder?.startsWith('/')
    ? { path: `${folder}/.s.PGSQL.${port}` }
    : { host: folder ?? parsed.hostname, port };
  const sockets = new Set<Socket>();
  const server = createServer((inner) => {
    const outer = connect(target);
    for (const socket of [inner, outer]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        inner.destroy();
        outer.destroy();
      });
    }
    inner.pipe(outer).pipe(inner);
  });
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  const dropConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  await listen(0);
  const own = (server.address() as AddressInfo).port;
  parsed.hostname = '127.0.0.1';
  parsed.port = String(own);
  parsed.searchParams.delete('host');
  return {
    url: parsed.toString(),
    dropConnections,
    stopAnswering: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    cut: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        dropConnections();
      }),
    restore: () => listen(own),
  };
}
