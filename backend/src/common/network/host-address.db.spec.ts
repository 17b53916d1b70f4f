import { readFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addressSpellings } from '../../../test/support/address-spellings.js';
import { openAdmittedSocket } from '../../transport/connection/tcp-socket.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { seededRandom } from '../../../test/support/seeded-random.js';
import { toCanonicalAddress, findHostAddressFault } from './host-address.js';

const COUNT = 12_000;
/** Time after which no answer can arrive, in ms: each target is this machine or has no route. */
const NO_ANSWER_MS = 1_000;
const AT_A_TIME = 500;

const linkLocal = Object.entries(os.networkInterfaces()).flatMap(([name, addresses = []]) =>
  addresses.flatMap(({ address, family, scopeid }) =>
    family === 'IPv6' && address.startsWith('fe80') ? [{ name, address, index: scopeid ?? 0 }] : [],
  ),
);

let database: TestDatabase;
let spellings: string[];
/** Servers, one per address. Each answers with its own address in the notation of this test. */
let servers: net.Server[] = [];
let port: number;

beforeAll(async () => {
  database = await createTestDatabase();
  const interfaces = linkLocal.map(({ name, address, index }) => ({ name, index, groups: groupsOf(address) }));
  spellings = addressSpellings(seededRandom(8), COUNT, interfaces);
  ({ servers, port } = await listen([
    '127.0.0.1',
    '127.0.0.2',
    ...(readFileSync('/proc/net/if_inet6', 'utf8').includes(' lo') ? ['::1'] : []),
    ...linkLocal.map(({ name, address }) => `${address}%${name}`),
  ]));
});
afterAll(async () => {
  for (const server of servers) server.close();
  await database.drop();
});

async function listen(addresses: readonly string[]): Promise<{ servers: net.Server[]; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const opened: net.Server[] = [];
    try {
      for (const host of addresses) {
        const server = net.createServer((socket) => socket.on('error', () => undefined).end(host));
        opened.push(server);
        await new Promise<void>((resolve, reject) => {
          server.once('error', reject);
          const [first] = opened;
          const same = first === server ? 0 : ((first?.address() as AddressInfo | undefined)?.port ?? 0);
          server.listen({ host, port: same, exclusive: true, ipv6Only: host.includes(':') }, resolve);
        });
      }
      return { servers: opened, port: (opened[0]?.address() as AddressInfo | undefined)?.port ?? 0 };
    } catch (error) {
      for (const server of opened) server.close();
      if (attempt === 20) throw error;
    }
  }
}

type Reach = (host: string) => Promise<{ answer: string; remote: string } | null>;

/** Returns the answer that a worker gets at this host; null = none. */
const reachAsWorker: Reach = async (host) => {
  const opened = await openAdmittedSocket({ host, port }, { timeoutMs: NO_ANSWER_MS }).catch(() => null);
  if (!opened) return null;
  const answer = (await opened.socket.setEncoding('utf8').toArray()).join('');
  return { answer, remote: opened.reached.address };
};

/** Returns the answer at this host, and the remote address of the socket; null = none. */
function reachAnyhow(host: string): Promise<{ answer: string; remote: string } | null> {
  return new Promise((resolve) => {
    const socket = net.connect({ host, port });
    let answer = '';
    let remote = '';
    const done = () => {
      socket.destroy();
      resolve(answer === '' ? null : { answer, remote });
    };
    socket.setTimeout(NO_ANSWER_MS, done);
    socket.on('connect', () => (remote = socket.remoteAddress ?? ''));
    socket.on('data', (bytes) => (answer += bytes.toString()));
    socket.on('error', done);
    socket.on('close', done);
  });
}

async function reachAll(
  hosts: readonly string[],
  reach: Reach,
): Promise<Map<string, { answer: string; remote: string }>> {
  const reached = new Map<string, { answer: string; remote: string }>();
  const waiting = [...hosts];
  const work = async () => {
    for (let host = waiting.pop(); host !== undefined; host = waiting.pop()) {
      const found = await reach(host);
      if (found) reached.set(host, found);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return reached;
}

function groupsOf(address: string): number[] {
  const [head = '', tail = ''] = address.split('::');
  const read = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const zeros = 8 - read(head).length - read(tail).length;
  return [...read(head), ...Array.from({ length: zeros }, () => 0), ...read(tail)];
}

/** Remote addresses, which this test skips because an answer would take long. */
const ELSEWHERE = /^\[?0*(?:fec0|febf|2001|64|1:0*2|fe80:(?!.*fe00))/i;
const isName = (text: string) => !net.isIP(text.split('%')[0] ?? '');

describe(`with ${COUNT} spellings`, () => {
  it('database and code produce the same text for each allowed spelling', async () => {
    const allowed = spellings.filter((each) => findHostAddressFault(each) === null);
    expect(allowed.length).toBeGreaterThan(1_000);
    expect(spellings.length - allowed.length).toBeGreaterThan(1_000);
    const rows = await database.query<{ spelling: string; text: string }>(
      'select spelling, canonical_address(spelling) as text from unnest($1::text[]) as spelling',
      [spellings],
    );
    const texts = new Map(rows.map(({ spelling, text }) => [spelling, text]));
    const differ = allowed.filter((each) => texts.get(each) !== toCanonicalAddress(each));
    expect(differ.map((each) => [each, texts.get(each), toCanonicalAddress(each)])).toEqual([]);
    // Refused addresses too must have the same text in the database, because earlier versions accepted some.
    const zoned = spellings.filter((each) => net.isIPv6(each));
    expect(zoned.filter((each) => texts.get(each) !== toCanonicalAddress(each))).toEqual([]);
  });

  it('two allowed spellings have the same text exactly if they reach the same host', async () => {
    const allowed = spellings.filter(
      (each) => findHostAddressFault(each) === null && !isName(each) && !ELSEWHERE.test(each),
    );
    const reached = await reachAll(allowed, reachAsWorker);
    expect(new Set([...reached.values()].map(({ answer }) => answer)).size).toBe(servers.length);
    const hostsOf = new Map<string, Set<string>>();
    const textsOf = new Map<string, Set<string>>();
    for (const spelling of allowed) {
      const text = toCanonicalAddress(spelling);
      const answer = reached.get(spelling)?.answer ?? 'none';
      hostsOf.set(text, (hostsOf.get(text) ?? new Set()).add(answer));
      if (answer !== 'none') textsOf.set(answer, (textsOf.get(answer) ?? new Set()).add(text));
    }
    const several = (sets: Map<string, Set<string>>) => [...sets].filter(([, set]) => set.size > 1);
    expect(several(hostsOf)).toEqual([]);
    expect(several(textsOf)).toEqual([]);
  });

  it('the socket reports the address of the reached host for any spelling, allowed or not', async () => {
    const reached = await reachAll(
      spellings.filter((each) => !ELSEWHERE.test(each)),
      reachAnyhow,
    );
    const refused = [...reached.keys()].filter((each) => findHostAddressFault(each) !== null);
    // The test reaches this machine by unspecified addresses, zones and unusual numbers, which is why these are
    // refused.
    expect(refused.length).toBeGreaterThan(100);
    const wrong = [...reached].filter(
      ([, { answer, remote }]) => toCanonicalAddress(remote) !== toCanonicalAddress(answer),
    );
    expect(wrong).toEqual([]);
  });
});
