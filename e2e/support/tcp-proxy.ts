import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** TCP proxy on loopback between a browser and Runward. */
export interface TcpProxy {
  url: string;
  /** Closes all connections, and each new one, until `restore`. */
  cut(): void;
  /** Forwards nothing more and closes nothing, like a pulled cable. */
  stall(): void;
  /** Forwards again. Connections from before stay dead: they are closed. */
  restore(): void;
  /** Delays each chunk by this time, in ms. */
  delay(ms: number): void;
  end(): Promise<void>;
}

export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(targetUrl);
  let state: 'open' | 'cut' | 'stalled' = 'open';
  let delayMs = 0;
  const sockets = new Set<Socket>();
  const closeAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const forward = (from: Socket, to: Socket): void => {
    sockets.add(from);
    const deliver = (call: () => void) => {
      if (delayMs > 0) setTimeout(call, delayMs);
      else call();
    };
    from.on('data', (chunk) => {
      if (state === 'open') deliver(() => to.writable && to.write(chunk));
    });
    from.on('error', () => from.destroy());
    from.on('close', () => {
      sockets.delete(from);
      if (state !== 'stalled') deliver(() => to.destroy());
    });
  };
  const server = createServer((client) => {
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const upstream = connect({ host: hostname, port: Number(port) });
    forward(client, upstream);
    forward(upstream, client);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      state = 'cut';
      closeAll();
    },
    stall: () => {
      state = 'stalled';
    },
    restore: () => {
      state = 'open';
      closeAll();
    },
    delay: (ms) => {
      delayMs = ms;
    },
    end: () => {
      closeAll();
      return new Promise((done) => server.close(() => done()));
    },
  };
}
