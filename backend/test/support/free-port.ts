import { readFile } from 'node:fs/promises';
import net from 'node:net';

const LOWEST = 15_000;
const HIGHEST = 32_000;
/** Test files run in parallel in this many processes or fewer, each of which takes ports of its own. */
const PROCESSES = 16;

/**
 * Returns a port of 127.0.0.1 on which no server listens. The kernel gives the port to nobody who asks for any free
 * one: it is below the range of such ports. So no other test's server answers on it before the caller's program listens.
 */
export async function freePort(): Promise<number> {
  const own = Number(process.env.JEST_WORKER_ID ?? process.env.TEST_PARALLEL_INDEX ?? 0) % PROCESSES;
  const highest = Math.min(HIGHEST, (await lowestChosenByKernel()) - PROCESSES);
  const slots = Math.floor((highest - LOWEST) / PROCESSES);
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = LOWEST + Math.floor(Math.random() * slots) * PROCESSES + own;
    if (await canListen(port)) return port;
  }
  throw new Error(`No port between ${LOWEST} and ${highest} is free.`);
}

async function lowestChosenByKernel(): Promise<number> {
  return Number.parseInt(await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
