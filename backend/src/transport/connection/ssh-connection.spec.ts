import net from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startSshHosts, type SshHosts } from '../../../test/support/ssh-hosts.js';
import { parseHostKey } from '../keys/host-key.js';
import { scanHostKey } from './host-key-scan.js';
import { generateKeyPair } from '../keys/key-material.js';
import { openConnection, type ConnectionOptions, type SshConnection, type SshTarget } from './ssh-connection.js';
import { SshError } from '../ssh-errors.js';

const OTHER_KEY = parseHostKey('ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEy');

let hosts: SshHosts;
beforeAll(async () => {
  hosts = await startSshHosts({ addresses: ['127.0.1.1', '127.0.1.2'] });
});
afterAll(() => hosts.stop());

const cleanUp: (() => void)[] = [];
afterEach(() => cleanUp.splice(0).forEach((undo) => undo()));

async function connect(changes?: Partial<SshTarget>, options?: ConnectionOptions): Promise<SshConnection> {
  const connection = await openConnection(hosts.target(changes), options);
  cleanUp.push(() => connection.end());
  return connection;
}

async function failureOf(attempt: Promise<unknown>): Promise<SshError> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SshError);
  return error as SshError;
}

/** A TCP server on loopback that is no SSH server. */
async function serve(onConnect: (socket: net.Socket) => void): Promise<{ host: string; port: number }> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnect(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.push(() => {
    server.close();
    sockets.forEach((socket) => socket.destroy());
  });
  return { host: '127.0.0.1', port: (server.address() as net.AddressInfo).port };
}

/** Message numbers of the packets after the identification line (RFC 4253); encrypted ones come out as nonsense. */
function clearMessages(sent: Buffer): number[] {
  const numbers: number[] = [];
  for (let at = sent.indexOf('\n') + 1; at < sent.length; at += 4 + sent.readUInt32BE(at)) {
    numbers.push(sent[at + 5] ?? -1);
    if (numbers.length > 10) break;
  }
  return numbers;
}

describe('connecting', () => {
  it('logs in on every address and says when the connection has ended', async () => {
    for (const host of hosts.sshd.addresses) {
      const connection = await connect({ host });
      expect(connection.isOpen).toBe(true);
      connection.end();
      await connection.closed;
      expect(connection.isOpen).toBe(false);
    }
  });

  it.each(['rsa', 'ecdsa'] as const)('logs in with an %s key that Runward made', async (type) => {
    const key = await generateKeyPair({ type, comment: type });
    await hosts.sshd.addAuthorizedKey(key.publicKey);
    expect((await connect({ privateKey: key.privateKey })).isOpen).toBe(true);
  });

  it('says that a port is closed', async () => {
    const { port } = await serve(() => undefined);
    cleanUp.splice(0).forEach((undo) => undo());
    const error = await failureOf(connect({ host: '127.0.0.1', port }));
    expect(error.code).toBe('connection_refused');
    expect(error.message).toContain(`127.0.0.1:${port}`);
  });

  it('says that a name does not exist', async () => {
    const error = await failureOf(connect({ host: 'no-such-host.invalid' }));
    expect(error).toMatchObject({ code: 'host_not_found', message: expect.stringContaining('no-such-host.invalid') });
  });

  it('gives up on a server that says nothing', async () => {
    const mute = await serve(() => undefined);
    const error = await failureOf(connect(mute, { handshakeTimeoutMs: 200 }));
    expect(error).toMatchObject({ code: 'handshake_timeout', message: expect.stringContaining('within 0.2 s') });
  });

  it('waits for a slow login as long as the target says, whatever the options say', async () => {
    const [waiting, release] = [[] as net.Socket[], () => waiting.splice(0).forEach(join)];
    const { host, port } = hosts.target();
    const join = (socket: net.Socket) => {
      const beyond = net.connect(port, host);
      beyond.on('error', () => undefined);
      socket.pipe(beyond).pipe(socket);
    };
    const slow = await serve((socket) => waiting.push(socket));
    const { hostKeys } = hosts.target();
    const patient = connect({ ...slow, hostKeys, loginTimeoutMs: 60_000 }, { handshakeTimeoutMs: 200 });
    const hasty = await failureOf(connect({ ...slow, hostKeys }, { handshakeTimeoutMs: 200 }));
    expect(hasty).toMatchObject({ code: 'handshake_timeout', message: expect.stringContaining('loginTimeoutSeconds') });
    release();
    expect((await patient).isOpen).toBe(true);
    const short = await failureOf(connect({ ...slow, hostKeys, loginTimeoutMs: 100 }));
    expect(short).toMatchObject({ code: 'handshake_timeout', message: expect.stringContaining('within 0.1 s') });
  });

  it('tells a web server from an SSH server', async () => {
    const web = await serve((socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    const error = await failureOf(connect(web));
    expect(error).toMatchObject({ code: 'not_ssh', message: expect.stringContaining('a web server (HTTP)') });
  });

  it('tells a server that speaks first from an SSH server', async () => {
    const mail = await serve((socket) => socket.end('220 mail.example.org ESMTP\r\n'));
    expect(await failureOf(connect(mail))).toMatchObject({ code: 'not_ssh' });
  });

  it('says that a server hung up at once', async () => {
    const rude = await serve((socket) => socket.destroy());
    expect(await failureOf(connect(rude))).toMatchObject({ code: 'connection_lost' });
  });

  it('says that the host refuses the key of a user', async () => {
    const stranger = await generateKeyPair({ type: 'ed25519' });
    const error = await failureOf(connect({ privateKey: stranger.privateKey }));
    expect(error.code).toBe('login_refused');
    expect(error.message).toContain(`login of ${hosts.sshd.user}`);
    expect(error.message).not.toContain('PRIVATE');
  });

  it('says that a stored private key cannot be read', async () => {
    const error = await failureOf(connect({ privateKey: 'not a key' }));
    expect(error).toMatchObject({ code: 'login_refused', message: expect.stringContaining('cannot be read') });
  });

  it('refuses a host whose key is not the pinned one, and shows both', async () => {
    const error = await failureOf(connect({ hostKeys: [OTHER_KEY] }));
    expect(error.code).toBe('host_key_changed');
    expect(error.seen).toEqual(hosts.sshd.hostKey);
    expect(error.message).toContain(OTHER_KEY.fingerprint);
    expect(error.message).toContain(hosts.sshd.hostKey.fingerprint);
  });

  it('does not let a host get away with a key of another type', async () => {
    const error = await failureOf(connect({ hostKeys: [{ ...OTHER_KEY, type: 'ssh-rsa' }] }));
    expect(error).toMatchObject({ code: 'host_key_type_missing', message: expect.stringContaining('ssh-rsa') });
  });

  it('accepts no host when the pinned type is unknown', async () => {
    const error = await failureOf(connect({ hostKeys: [{ ...hosts.sshd.hostKey, type: 'ssh-dss' }] }));
    expect(error.code).toBe('host_key_type_missing');
  });

  it('can be given up before and while it connects', async () => {
    expect(await failureOf(connect({}, { signal: AbortSignal.abort() }))).toMatchObject({ code: 'aborted' });
    const abort = new AbortController();
    const mute = await serve(() => abort.abort());
    expect(await failureOf(connect(mute, { signal: abort.signal }))).toMatchObject({ code: 'aborted' });
  });
});

describe('reading a host key', () => {
  it.each(['ed25519', 'ecdsa', 'rsa'] as const)('reads an %s key, which can then be pinned', async (hostKeyType) => {
    const other = await startSshHosts({ addresses: ['127.0.1.3'], hostKeyType });
    try {
      const seen = await scanHostKey('127.0.1.3', other.sshd.port);
      expect(seen).toEqual(other.sshd.hostKey);
      const connection = await openConnection(other.target({ hostKeys: [seen] }));
      connection.end();
      await connection.closed;
    } finally {
      await other.stop();
    }
  });

  it('leaves before the login', async () => {
    const sent: Buffer[] = [];
    const relay = await serve((socket) => {
      const onward = net.connect(hosts.sshd.port, '127.0.1.1');
      cleanUp.push(() => onward.destroy());
      onward.on('error', () => undefined);
      socket.on('data', (bytes) => sent.push(bytes));
      socket.pipe(onward).pipe(socket);
    });
    expect(await scanHostKey(relay.host, relay.port)).toEqual(hosts.sshd.hostKey);
    // all that a client sends in clear: its offer, its half of the exchange, "new keys"; a login would follow as one more
    expect(clearMessages(Buffer.concat(sent))).toEqual(expect.arrayContaining([20, 30]));
    expect(clearMessages(Buffer.concat(sent)).filter((number) => ![20, 30, 21].includes(number))).toEqual([]);
  });

  it('fails like connecting does', async () => {
    const mute = await serve(() => undefined);
    const late = await failureOf(scanHostKey(mute.host, mute.port, { handshakeTimeoutMs: 200 }));
    expect(late.code).toBe('handshake_timeout');
    const rsa = await failureOf(scanHostKey('127.0.1.1', hosts.sshd.port, { type: 'ssh-rsa' }));
    expect(rsa.code).toBe('host_key_type_missing');
  });
});
