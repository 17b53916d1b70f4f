import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import ssh2 from 'ssh2';
import { scanHostKey } from './connection/host-key-scan.js';
import { openConnection } from './connection/ssh-connection.js';
import { type HostKey, parseHostKey } from './keys/host-key.js';
import { generateKeyPair, type KeyMaterial } from './keys/key-material.js';
import { SshError } from './ssh-errors.js';

/** Answer of a service that only Runward's machine can reach. */
const SECRET = 'c4nary';

const text = (value: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(value.length);
  return Buffer.concat([length, Buffer.from(value, 'latin1')]);
};
const number = (value: number): Buffer => text('x'.repeat(value)).subarray(0, 4);

function packet(type: number, ...fields: Buffer[]): Buffer {
  const payload = Buffer.concat([Buffer.from([type]), ...fields]);
  const padding = 16 - ((payload.length + 5) % 8);
  return Buffer.concat([number(payload.length + padding + 1), Buffer.from([padding]), payload, Buffer.alloc(padding)]);
}
const NAME = Buffer.from('SSH-2.0-OpenSSH_9.6 c4nary\r\n');
const named = (...packets: Buffer[]): Buffer => Buffer.concat([NAME, ...packets]);
const offer = (names: string): Buffer =>
  packet(20, Buffer.alloc(16), ...Array.from({ length: 10 }, () => text(names)), Buffer.alloc(5));

const ANSWERS: Record<string, Buffer> = {
  'a web server': Buffer.from(`HTTP/1.1 200 OK\r\n\r\n{"token":"${SECRET}"}`),
  'a word': Buffer.from(SECRET),
  'lines without an end': Buffer.from(`${SECRET}\r\n`.repeat(5_000)),
  'an old SSH server': Buffer.from(`SSH-1.5-OpenSSH_2.3 ${SECRET}\r\n`),
  'an SSH server by no name': Buffer.from(`SSH-2.0-\u001b[31m${SECRET}\r\n`),
  'a busy SSH server': Buffer.from(`Exceeded MaxStartups ${SECRET}\r\n`),
  'an end of the connection': named(packet(1, number(2), text(SECRET), text(''))),
  'an end by login': named(packet(1, number(14), text(`Too many authentication failures ${SECRET}`), text(''))),
  'an end like an error of ours': named(packet(1, number(3), text(`Cannot parse privateKey: ${SECRET}`), text(''))),
  'a remark': named(packet(4, Buffer.from([1]), text(SECRET), text(''))),
  'names of algorithms': named(offer(SECRET)),
  'what is no packet': named(Buffer.from(SECRET.repeat(20))),
};

const talkative = async (key: KeyMaterial): Promise<net.Server> =>
  new ssh2.Server(
    { hostKeys: [key.privateKey], ident: `OpenSSH_9.6 ${SECRET}`, greeting: SECRET, banner: SECRET },
    (client) => {
      client.on('error', () => undefined);
      client.on('authentication', (context) => context.reject([SECRET as never, 'keyboard-interactive']));
    },
  );

let key: KeyMaterial;
let hostKey: HostKey;
const servers = new Map<string, { server: net.Server; port: number }>();

beforeAll(async () => {
  key = await generateKeyPair({ type: 'ed25519', comment: 'test' });
  hostKey = parseHostKey(key.publicKey);
  const add = async (name: string, server: net.Server): Promise<void> => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.set(name, { server, port: (server.address() as AddressInfo).port });
  };
  for (const [name, answer] of Object.entries(ANSWERS))
    await add(
      name,
      net.createServer((socket) =>
        socket
          .on('error', () => undefined)
          .resume()
          .end(answer),
      ),
    );
  await add('a login', await talkative(key));
});
afterAll(() => servers.forEach(({ server }) => void server.close()));

const failureOf = async (attempt: Promise<unknown>): Promise<SshError> => {
  const error = await attempt.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SshError);
  return error as SshError;
};

describe('a service that Runward connects to', () => {
  it.each([...Object.keys(ANSWERS), 'a login'])('cannot put its own text into error messages: %s', async (name) => {
    const port = servers.get(name)?.port ?? 0;
    const target = {
      host: '127.0.0.1',
      port,
      username: 'deploy',
      privateKey: key.privateKey,
      hostKeys: [hostKey],
      legacyAlgorithms: false,
    };
    const failures = [await failureOf(openConnection(target))];
    if (name !== 'a login') failures.push(await failureOf(scanHostKey('127.0.0.1', port)));
    for (const { message } of failures) {
      expect(message).not.toContain(SECRET);
      expect(message).toMatch(/^[\x20-\x7e]{20,500}$/);
    }
  });

  it('is reported with version and software if it is an outdated SSH server', async () => {
    const { message } = await failureOf(scanHostKey('127.0.0.1', servers.get('an old SSH server')?.port ?? 0));
    expect(message).toContain('it answered as SSH-1.5-OpenSSH_2.3.');
  });
});
