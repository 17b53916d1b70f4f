import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** One address of a service whose processes come and go, on ports of their own. */
export interface ServiceGate {
  url: string;
  /** Leads new connections there; null: they are refused, as long as nobody listens. */
  lead(url: string | null): Promise<void>;
  /** Breaks all connections; new ones get through. */
  cut(): void;
  /** Answers of the service are not passed on any more, on connections that there are and on new ones; `release` lets new ones through again. */
  withhold(): void;
  release(): void;
  close(): Promise<void>;
}

export async function openServiceGate(): Promise<ServiceGate> {
  let target: number | null = null;
  let withheld = false;
  const pairs = new Set<{ inner: Socket; outer: Socket }>();
  const server = createServer((inner) => {
    if (target === null) return void inner.resetAndDestroy();
    const pair = { inner, outer: connect({ host: '127.0.0.1', port: target }) };
    pairs.add(pair);
    for (const socket of [inner, pair.outer]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        pairs.delete(pair);
        inner.destroy();
        pair.outer.destroy();
      });
    }
    inner.pipe(pair.outer);
    if (!withheld) pair.outer.pipe(inner);
  });
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  const cut = () => {
    for (const { inner, outer } of pairs) {
      inner.destroy();
      outer.destroy();
    }
  };
  const shut = () =>
    new Promise<void>((resolve) => {
      if (!server.listening) return resolve();
      server.close(() => resolve());
      cut();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async lead(url) {
      target = url === null ? null : Number(new URL(url).port);
      if (target === null) await shut();
      else if (!server.listening) await listen(port);
    },
    cut,
    withhold() {
      withheld = true;
      for (const { outer } of pairs) outer.unpipe().pause();
    },
    release: () => void (withheld = false),
    close: shut,
  };
}
