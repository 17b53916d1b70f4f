import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Proxy with a fixed address, for a service whose processes use changing ports. */
export interface ServiceGate {
  url: string;
  /** Sends new connections to this URL; null: refuses them. */
  forwardTo(url: string | null): Promise<void>;
  /** Breaks all connections. Still accepts new ones. */
  cut(): void;
  /** Withholds responses on existing and new connections. After `release`, new connections get responses. */
  withholdAnswers(): void;
  release(): void;
  close(): Promise<void>;
}

export async function openServiceGate(): Promise<ServiceGate> {
  let target: number | null = null;
  let isWithholding = false;
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
    if (!isWithholding) pair.outer.pipe(inner);
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
    async forwardTo(url) {
      target = url === null ? null : Number(new URL(url).port);
      if (target === null) await shut();
      else if (!server.listening) await listen(port);
    },
    cut,
    withholdAnswers() {
      isWithholding = true;
      for (const { outer } of pairs) outer.unpipe().pause();
    },
    release: () => void (isWithholding = false),
    close: shut,
  };
}
