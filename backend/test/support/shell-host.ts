import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import ssh2, { type ServerChannel } from 'ssh2';
import { type HostKey, parseHostKey } from '../../src/transport/keys/host-key.js';
import { generateKeyPair } from '../../src/transport/keys/key-material.js';
import { openConnection, type SshConnection } from '../../src/transport/connection/ssh-connection.js';

/** Bytes after which a channel ends. `sent`: bytes from Runward; `said`: bytes from the host. */
export interface Cut {
  sent?: number;
  said?: number;
}

/** SSH server in this process that runs commands locally and can cut channels at any byte. */
export interface ShellHost {
  cutNextCommand(cut: Cut): void;
  /** Bytes that were sent on the last channel in each direction. */
  last: Required<Cut>;
  connect(): Promise<SshConnection>;
  stop(): Promise<void>;
}

export async function startShellHost(
  program: readonly string[],
  env: Record<string, string>,
  rewrite: (text: string) => string = (text) => text,
): Promise<ShellHost> {
  const [key, own] = await Promise.all([
    generateKeyPair({ type: 'ed25519', comment: 'shell' }),
    generateKeyPair({ type: 'ed25519', comment: 'test' }),
  ]);
  let next: Cut = {};
  const host = { last: { sent: 0, said: 0 } };
  const server = new ssh2.Server({ hostKeys: [key.privateKey] }, (client) => {
    client.on('error', () => undefined);
    client.on('authentication', (context) => context.accept());
    client.on('session', (accept) => {
      accept().on('exec', (acceptExec, _reject, { command }) => {
        const cut = next;
        next = {};
        serve(acceptExec(), command, cut);
      });
    });
  });
  function serve(channel: ServerChannel, text: string, { sent = Infinity, said = Infinity }: Cut): void {
    const [file = '', ...args] = program;
    const child = spawn(file, [...args, rewrite(text)], { env, detached: true });
    const counts = { sent: 0, said: 0 };
    host.last = counts;
    let over = false;
    const end = (code: number | null, signal: string | null) => {
      if (over) return;
      over = true;
      if (code !== null) channel.exit(code);
      else if (signal !== null) channel.exit(signal.slice(3));
      channel.end();
      channel.close();
    };
    const cutOff = () => {
      child.stdin.end();
      child.stdout.destroy();
      child.stderr.destroy();
      end(null, null);
    };
    for (const stream of [channel, child, child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
    channel.on('data', (bytes: Buffer) => {
      if (over) return;
      const taken = bytes.subarray(0, sent - counts.sent);
      counts.sent += taken.length;
      child.stdin.write(taken);
      if (counts.sent >= sent) cutOff();
    });
    channel.on('end', () => child.stdin.end());
    channel.on('close', () => child.stdin.end());
    for (const [from, to] of [
      [child.stdout, channel],
      [child.stderr, channel.stderr],
    ] as const)
      from.on('data', (bytes: Buffer) => {
        const passed = bytes.subarray(0, said - counts.said);
        counts.said += passed.length;
        if (!over) to.write(passed);
        if (counts.said >= said) cutOff();
      });
    child.on('close', end);
    if (sent === 0 || said === 0) cutOff();
  }
  const listener = net.createServer({ noDelay: true }, (socket) => server.injectSocket(socket));
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const hostKeys: HostKey[] = [parseHostKey(key.publicKey)];
  return Object.assign(host, {
    cutNextCommand: (cut: Cut) => void (next = cut),
    connect: () =>
      openConnection({
        host: '127.0.0.1',
        port,
        username: 'x',
        privateKey: own.privateKey,
        hostKeys,
        legacyAlgorithms: false,
      }),
    stop: async () => {
      listener.close();
      await once(listener, 'close');
    },
  });
}
