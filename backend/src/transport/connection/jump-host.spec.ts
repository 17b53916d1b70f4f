import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type SshHosts, startSshHosts } from '../../../test/support/ssh-hosts.js';
import { parseHostKey } from '../keys/host-key.js';
import { generateKeyPair } from '../keys/key-material.js';
import { SshError } from '../ssh-errors.js';
import { scanHostKey } from './host-key-scan.js';
import { type ConnectionOptions, openConnection, type SshConnection, type SshTarget } from './ssh-connection.js';

const FOREIGN_HOST_KEY = parseHostKey(
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEy',
);

let folder: string;
let jump: SshHosts;
let inner: SshHosts;
let rsaKey: ReturnType<typeof parseHostKey>;
let closed: number;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runward-jump-'));
  const rsa = await generateKeyPair({ type: 'rsa', comment: 'second host key' });
  rsaKey = parseHostKey(rsa.publicKey);
  const file = path.join(folder, 'rsa');
  await writeFile(file, rsa.privateKey, { mode: 0o600 });
  inner = await startSshHosts({ addresses: ['127.0.4.2'], extraConfig: `HostKey ${file}` });
  closed = await unusedPort();
  jump = await startSshHosts({
    addresses: ['127.0.4.1'],
    extraConfig: `PermitOpen 127.0.4.2:${inner.sshd.port} 127.0.4.1:* 127.0.4.3:${closed} nowhere.invalid:22`,
  });
});
afterAll(async () => {
  await jump.stop();
  await inner.stop();
  await rm(folder, { recursive: true, force: true });
});

const cleanUp: (() => void)[] = [];
afterEach(() => cleanUp.splice(0).forEach((undo) => undo()));

async function connect(target: SshTarget, options?: ConnectionOptions): Promise<SshConnection> {
  const connection = await openConnection(target, options);
  cleanUp.push(() => connection.end());
  return connection;
}
const bastion = async () => (await connect(jump.target())).asJumpHost('jump server "bastion"');

async function failureOf(attempt: Promise<unknown>): Promise<SshError> {
  const error = await attempt.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(SshError);
  return error as SshError;
}

async function unusedPort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.4.3', resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function outputOf(connection: SshConnection, command: string): Promise<string> {
  const parts: Buffer[] = [];
  const running = await connection.exec({ script: command, onOutput: (_, bytes) => void parts.push(bytes) });
  expect(await running.result).toMatchObject({ exitCode: 0 });
  return Buffer.concat(parts).toString();
}

describe('several pinned host keys', () => {
  it('accept a host that shows any of them, and report which one', async () => {
    const own = inner.sshd.hostKey;
    for (const [hostKeys, shown] of [
      [[rsaKey], rsaKey],
      [[FOREIGN_HOST_KEY, own], own],
      [[rsaKey, own], own],
    ] as const) {
      const connection = await connect(inner.target({ hostKeys }));
      expect(connection.hostKey).toEqual(shown);
    }
  });

  it('refuse a host that shows none of them, and list them all', async () => {
    const error = await failureOf(connect(inner.target({ hostKeys: [FOREIGN_HOST_KEY, jump.sshd.hostKey] })));
    expect(error).toMatchObject({ code: 'host_key_changed', seen: inner.sshd.hostKey });
    for (const { fingerprint } of [FOREIGN_HOST_KEY, jump.sshd.hostKey, inner.sshd.hostKey]) {
      expect(error.message).toContain(fingerprint);
    }
  });
});

describe('a jump server', () => {
  it('opens the connection over which the host is verified and signed in to', async () => {
    const via = await bastion();
    expect(await scanHostKey('127.0.4.2', inner.sshd.port, { via })).toEqual(inner.sshd.hostKey);
    const connection = await connect(inner.target(), { via });
    expect(connection.reachedAddress).toBe('127.0.4.2');
    expect(await outputOf(connection, 'echo $SSH_CONNECTION')).toMatch(new RegExp(` 127.0.4.2 ${inner.sshd.port}\n$`));
    const error = await failureOf(connect(inner.target({ hostKeys: [FOREIGN_HOST_KEY] }), { via }));
    expect(error.code).toBe('host_key_changed');
  });

  it('forwards large output completely, in both directions at once', async () => {
    const connection = await connect(inner.target(), { via: await bastion() });
    const text = await outputOf(connection, 'seq 1 200000');
    expect(text).toHaveLength(1_288_895);
    expect(text.endsWith('\n199999\n200000\n')).toBe(true);
  });

  it('chains through a second and a third jump server', async () => {
    const first = await connect(jump.target());
    const second = await connect(jump.target(), { via: first.asJumpHost('first') });
    const third = await connect(jump.target(), { via: second.asJumpHost('second') });
    const connection = await connect(inner.target(), { via: third.asJumpHost('third') });
    expect(await outputOf(connection, 'echo here')).toBe('here\n');
    second.end();
    await connection.closed;
    expect(connection.isOpen).toBe(false);
  });

  it('explains why it opens no connection, without details of the network behind it', async () => {
    const via = await bastion();
    const reach = (host: string, port: number) => failureOf(connect(inner.target({ host, port }), { via }));
    expect(await reach('127.0.4.2', 1)).toMatchObject({
      code: 'jump_failed',
      message: expect.stringContaining('AllowTcpForwarding'),
    });
    const refused = await reach('127.0.4.3', closed);
    expect(refused.code).toBe('connection_refused');
    expect(refused.message).toContain(`"bastion" could not reach 127.0.4.3:${closed}`);
    expect(await reach('nowhere.invalid', 22)).toMatchObject({
      code: expect.stringMatching(/host_not_found|network_unreachable/),
    });
  });

  it('is not waited for beyond the time limit or after its connection has ended', async () => {
    const muteServer = net.createServer(() => undefined);
    await new Promise<void>((resolve) => muteServer.listen(0, '127.0.4.1', resolve));
    cleanUp.push(() => muteServer.close());
    const { port } = muteServer.address() as net.AddressInfo;
    const gateway = await connect(jump.target());
    const via = gateway.asJumpHost('jump server "bastion"');
    const target = inner.target({ host: '127.0.4.1', port });
    const late = await failureOf(connect(target, { via, handshakeTimeoutMs: 100 }));
    expect(late.code).toBe('handshake_timeout');
    const abort = new AbortController();
    const given = failureOf(connect(target, { via, signal: abort.signal }));
    abort.abort();
    expect((await given).code).toBe('aborted');
    gateway.end();
    await gateway.closed;
    expect((await failureOf(connect(target, { via }))).code).toBe('jump_failed');
  });
});
