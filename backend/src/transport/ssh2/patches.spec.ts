import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import ssh2, { type Client, type ClientChannel, type Connection, type ServerChannel } from 'ssh2';
import { generateKeyPair } from '../keys/key-material.js';
import { execWithSmallWindow, findChannelFault, limitChannelWindow } from './channel-window.js';
import { replaceNextMessage } from './login-requests.js';
import {
  getIncomingWindow,
  hasExitStatus,
  IGNORED_MESSAGE,
  isAnswerPending,
  isChannelOpening,
  isIncomingOpen,
  type PeerMessageHandlers,
  type PeerState,
  watchPeerMessages,
} from './peer-messages.js';

const CHANNEL_DATA = 94;
const CHANNEL_SUCCESS = 99;
const EXIT_REQUEST = 98;

const cleanUp: (() => unknown)[] = [];
afterEach(() => {
  for (const undo of cleanUp.splice(0).reverse()) undo();
});

interface Pair {
  client: Client;
  host: Connection;
  state: PeerState;
}

/** Connects a client and a server of ssh2. The server accepts every login. */
async function connectPair(handlers: (state: PeerState) => Partial<PeerMessageHandlers>): Promise<Pair> {
  const { privateKey } = await generateKeyPair({ type: 'ed25519', comment: 'host' });
  const server = new ssh2.Server({ hostKeys: [privateKey] });
  const accepted = new Promise<Connection>((resolve) => {
    server.once('connection', (host) => {
      host.on('error', () => undefined);
      host.on('authentication', (context) => context.accept());
      resolve(host);
    });
  });
  server.listen(0, '127.0.0.1');
  cleanUp.push(() => server.close());
  await once(server, 'listening');
  const client = new ssh2.Client();
  const ready = once(client, 'ready');
  client.connect({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    username: 'test',
    password: 'test',
    readyTimeout: 0,
  });
  cleanUp.push(() => client.destroy());
  let state: PeerState | undefined;
  watchPeerMessages(client, (seen) => {
    state = seen;
    return {
      onMessage: (payload) => payload,
      onEmptyPackets: () => undefined,
      onDataSent: () => undefined,
      createGroup: () => {
        throw new Error('no group expected');
      },
      ...handlers(seen),
    };
  });
  await ready;
  return { client, host: await accepted, state: state! };
}

async function openChannel({ client, host }: Pair): Promise<{ channel: ClientChannel; remote: ServerChannel }> {
  const opened = new Promise<ServerChannel>((resolve) => {
    host.once('session', (accept) => accept().once('exec', (acceptExec) => resolve(acceptExec())));
  });
  const channel = await new Promise<ClientChannel>((resolve, reject) =>
    execWithSmallWindow(client, 'true', (error, made) => (error ? reject(error) : resolve(made))),
  );
  return { channel, remote: await opened };
}

describe('messages of a host', () => {
  it('are reported before ssh2 handles them, also after a key exchange', async () => {
    const types: number[] = [];
    const pair = await connectPair(() => ({ onMessage: (payload) => (types.push(payload[0] ?? 0), payload) }));
    expect(types.slice(0, 2)).toEqual([20, 31]); // SSH_MSG_KEXINIT, SSH_MSG_KEX_ECDH_REPLY
    const { channel, remote } = await openChannel(pair);
    await new Promise<void>((resolve) => pair.host.rekey(() => resolve()));
    remote.write('x');
    await once(channel, 'data');
    expect(types.filter((type) => type === 20)).toHaveLength(2);
    expect(types).toContain(CHANNEL_DATA);
  });

  it('are not handled by ssh2 if they are replaced', async () => {
    const pair = await connectPair(() => ({
      onMessage: (payload) => (payload.subarray(-1).toString() === '!' ? IGNORED_MESSAGE : payload),
    }));
    const { channel, remote } = await openChannel(pair);
    remote.write('no!');
    remote.write('yes');
    expect(String((await once(channel, 'data'))[0])).toBe('yes');
  });

  it('end the connection if a handler throws', async () => {
    const pair = await connectPair(() => ({
      onMessage: (payload) => {
        if (payload[0] === CHANNEL_DATA) throw new Error('too much');
        return payload;
      },
    }));
    const { remote } = await openChannel(pair);
    const failed = once(pair.client, 'error');
    remote.write('x');
    expect((await failed)[0]).toMatchObject({ message: 'too much' });
  });

  it('are compared with what the client expects', async () => {
    const seen: Record<string, unknown> = {};
    const pair = await connectPair((state) => ({
      onMessage: (payload) => {
        const channel = payload.length >= 5 ? state.channel(payload.readUInt32BE(1)) : undefined;
        if (channel !== undefined && isChannelOpening(channel)) seen['opening'] = payload[0];
        else if (channel && payload[0] === CHANNEL_SUCCESS) seen['pending'] = isAnswerPending(channel);
        else if (channel && payload[0] === CHANNEL_DATA)
          Object.assign(seen, { window: getIncomingWindow(channel), open: isIncomingOpen(channel) });
        else if (channel && payload[0] === EXIT_REQUEST) seen['exited'] = hasExitStatus(channel);
        return payload;
      },
    }));
    expect(pair.state.offeredKeyExchanges[0]).toMatch(/^curve25519-sha256/);
    expect(pair.state.globalAnswers).toBe(0);
    const { channel, remote } = await openChannel(pair);
    limitChannelWindow(pair.client, channel);
    remote.write('x');
    remote.exit(0);
    await once(channel, 'exit');
    expect(seen).toEqual({ opening: 91, pending: true, window: 256 * 1024, open: true, exited: false });
    const held = pair.state.channel(0);
    expect(held && !isChannelOpening(held) && hasExitStatus(held)).toBe(true);
    pair.client.forwardIn('127.0.0.1', 0, () => undefined);
    expect(pair.state.globalAnswers).toBe(1);
  });

  it('are counted if they are empty', async () => {
    let empty = 0;
    const pair = await connectPair(() => ({ onEmptyPackets: (count) => void (empty += count) }));
    const { channel, remote } = await openChannel(pair);
    expect(empty).toBe(0);
    const { _protocol: protocol } = pair.host as unknown as {
      _protocol: { _cipher: { allocPacket(size: number): Buffer; encrypt(packet: Buffer): void } };
    };
    for (let n = 0; n < 3; n += 1) protocol._cipher.encrypt(protocol._cipher.allocPacket(0));
    remote.write('x');
    await once(channel, 'data');
    expect(empty).toBe(3);
  });
});

describe('messages of the client', () => {
  it('are counted by their data', async () => {
    const sent: number[] = [];
    const pair = await connectPair(() => ({ onDataSent: (bytes) => sent.push(bytes) }));
    const { channel, remote } = await openChannel(pair);
    remote.resume();
    channel.write(Buffer.alloc(100));
    channel.end(Buffer.alloc(7));
    await once(remote, 'end');
    expect(sent).toEqual([100, 7]);
  });

  it('can be replaced once', async () => {
    const pair = await connectPair(() => ({}));
    const { channel, remote } = await openChannel(pair);
    const received: string[] = [];
    remote.on('data', (bytes: Buffer) => received.push(String(bytes)));
    const { outgoing } = channel as unknown as { outgoing: { id: number } };
    const payload = Buffer.alloc(9 + 3);
    payload[0] = CHANNEL_DATA;
    payload.writeUInt32BE(outgoing.id, 1);
    payload.writeUInt32BE(3, 5);
    payload.write('new', 9);
    replaceNextMessage(pair.client, payload);
    channel.write('old');
    channel.end('later');
    await once(remote, 'end');
    expect(received.join()).toBe('new,later');
  });
});

describe('a channel with a small window', () => {
  it('receives at most the window, minus buffered data of both streams', async () => {
    const pair = await connectPair(() => ({}));
    const { channel, remote } = await openChannel(pair);
    limitChannelWindow(pair.client, channel);
    expect(findChannelFault(channel)).toBeNull();
    remote.write(Buffer.alloc(1024 * 1024));
    const { incoming } = channel as unknown as { incoming: { window: number } };
    while (incoming.window > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(channel.readableLength).toBe(256 * 1024);
    let taken = 0;
    channel.on('data', (bytes: Buffer) => (taken += bytes.length));
    remote.end();
    await once(channel, 'end');
    expect(taken).toBe(1024 * 1024);
  });
});
