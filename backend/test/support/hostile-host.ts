import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import ssh2, { type CompressionAlgorithm, type ServerChannel } from 'ssh2';
import { type HostKey, parseHostKey } from '../../src/transport/keys/host-key.js';
import { createChallenge } from '../../src/transport/journal/handshake.js';
import { generateKeyPair } from '../../src/transport/keys/key-material.js';

/**
 * Response of the host to a command. `nonce` must be the first word of its acknowledgement; `input` is everything that
 * the host received.
 */
export type Answer = (channel: ServerChannel, nonce: string, input: string) => void;

/** SSH server that accepts every login and answers commands like an attacker who controls the host. */
export interface HostileHost {
  port: number;
  hostKey: HostKey;
  stop(): Promise<void>;
}

export async function startHostileHost(
  answer: Answer,
  { packetSize, compress }: { packetSize?: number; compress?: CompressionAlgorithm[] } = {},
): Promise<HostileHost> {
  const key = await generateKeyPair({ type: 'ed25519', comment: 'hostile' });
  const algorithms = compress ? { compress } : {};
  const server = new ssh2.Server({ hostKeys: [key.privateKey], algorithms }, (client) => {
    if (packetSize !== undefined) {
      const protocol = protocolOf(client);
      const confirm = protocol.channelOpenConfirm.bind(protocol);
      protocol.channelOpenConfirm = (remote, local, window) => confirm(remote, local, window, packetSize);
    }
    client.on('error', () => undefined);
    client.on('authentication', (context) => context.accept());
    client.on('session', (accept) => {
      accept().on('exec', (acceptExec) => {
        const channel = acceptExec();
        let input = '';
        let answered = false;
        channel.on('error', () => undefined);
        channel.write('\x1erunward-launcher ready\n');
        channel.on('data', (bytes: Buffer) => {
          input += bytes.toString();
          input = input.replace(/^runward-handshake (\w+) (\w+)\n/, (_line, first: string, second: string) => {
            channel.write(createChallenge(first + second).answer);
            return '';
          });
          const [nonce] = /runward-[0-9a-f]{32}(?=\n?$)/.exec(input) ?? [];
          if (answered || nonce === undefined) return;
          answered = true;
          answer(channel, nonce, input);
        });
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    hostKey: parseHostKey(key.publicKey),
    stop: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

interface Protocol {
  channelOpenConfirm(remote: number, local: number, window: number, packetSize: number): void;
  channelData(channel: number, data: Buffer): void;
}
const protocolOf = (client: object): Protocol => (client as { _protocol: Protocol })._protocol;

/** Sends data without flow control. */
export function flood(channel: ServerChannel, data: Buffer): void {
  const { _client: client, outgoing } = channel as unknown as { _client: object; outgoing: { id: number } };
  protocolOf(client).channelData(outgoing.id, data);
}

export const endingWith =
  (end: (channel: ServerChannel) => void): Answer =>
  (channel, nonce) => {
    channel.write(`${nonce} 4242 plain\n`);
    end(channel);
    channel.end();
  };
