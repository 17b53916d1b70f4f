/**
 * SSH server that attacks its clients: it floods them with one kind of message, and usually does not read what they
 * send.
 */
import { once } from 'node:events';
import net from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import ssh2 from 'ssh2';

const u32 = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const text = (value) => Buffer.concat([u32(value.length), Buffer.from(value)]);
const message = (...parts) => Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : part)));
/** Wraps a payload in a packet as before the first key exchange (RFC 4253, section 6). */
const plainPacket = (payload) => {
  const padding = 8 - ((payload.length + 5) % 8) + 8;
  return message(u32(payload.length + padding + 1), padding, payload, Buffer.alloc(padding));
};

const IDENTIFICATION = 'SSH-2.0-Flood\r\n';
const FLOOD_BYTES = Buffer.alloc(32 * 1024, 'x');
const NUMBERS = { next: 0 };
const IGNORE_MESSAGE = message(2, text(Buffer.alloc(64)));

/**
 * Floods by name.
 * - `from`: when the flood starts: TCP connection, end of the key exchange, login request, successful login, or command
 * - `bytes` or `payload`: repeated content
 * - `reads`: the host continues to read
 * - `within`: the flood respects the channel window, so the client throttles it instead of closing the connection
 */
const FLOODS = {
  'endless lines': { from: 'tcp', bytes: () => Buffer.from(`${'x'.repeat(200)}\r\n`.repeat(50)) },
  'endless line': { from: 'tcp', bytes: () => Buffer.alloc(1000, 'x') },
  'empty lines': { from: 'tcp', bytes: () => Buffer.alloc(1000, '\n') },
  'early ignore': { from: 'tcp', first: IDENTIFICATION, bytes: () => plainPacket(IGNORE_MESSAGE) },
  'early empty packets': { from: 'tcp', first: IDENTIFICATION, bytes: () => plainPacket(Buffer.alloc(0)) },
  banners: { from: 'keys', payload: () => message(53, text(FLOOD_BYTES.subarray(0, 1000)), text('')) },
  'small banners': { from: 'keys', payload: () => message(53, text('x'), text('')) },
  'login failures': { from: 'login', payload: () => message(51, text(''), 0) },
  'acceptable keys': {
    from: 'login',
    reads: true,
    payload: () => message(60, text('ssh-ed25519'), text(FLOOD_BYTES.subarray(0, 51))),
  },
  'keyboard questions': { from: 'login', payload: () => message(60, text(''), text(''), text(''), u32(4_000_000_000)) },
  'global requests': { from: 'signed-in', payload: () => message(80, text('keepalive@openssh.com'), 1) },
  'host key lists': {
    from: 'signed-in',
    payload: (host) =>
      message(80, text('hostkeys-00@openssh.com'), 0, ...Array.from({ length: 100 }, () => text(host.publicKey))),
  },
  'channel opens': {
    from: 'signed-in',
    payload: () =>
      message(90, text('forwarded-tcpip'), u32(NUMBERS.next++), u32(1), u32(1), text('a'), u32(1), text('b'), u32(2)),
  },
  ignore: { from: 'signed-in', payload: () => IGNORE_MESSAGE },
  'large ignore': { from: 'signed-in', payload: () => message(2, text(FLOOD_BYTES)) },
  debug: { from: 'signed-in', payload: () => message(4, 1, text('x'), text('')) },
  unimplemented: { from: 'signed-in', payload: () => message(3, u32(0)) },
  'unknown messages': { from: 'signed-in', payload: () => message(192, text('x')) },
  extensions: { from: 'signed-in', payload: () => message(7, u32(1), text('server-sig-algs'), text('ssh-ed25519')) },
  'empty packets': { from: 'signed-in', payload: () => Buffer.alloc(0) },
  'login successes': { from: 'signed-in', payload: () => message(52) },
  'key exchanges': { from: 'signed-in', reads: true, rekeys: true },
  'unasked answers': { from: 'signed-in', payload: () => message(81) },
  'data of no channel': { from: 'signed-in', payload: () => message(94, u32(70_000), text(FLOOD_BYTES)) },
  'data beyond the window': { from: 'command', payload: (_, channel) => message(94, u32(channel), text(FLOOD_BYTES)) },
  'empty data': { from: 'command', payload: (_, channel) => message(94, u32(channel), text('')) },
  'data of no stream': { from: 'command', payload: (_, channel) => message(95, u32(channel), u32(2), text('x')) },
  'window adjustments': { from: 'command', payload: (_, channel) => message(93, u32(channel), u32(1)) },
  'channel requests': {
    from: 'command',
    payload: (_, channel) => message(98, u32(channel), text('keepalive@openssh.com'), 1),
  },
  'single bytes': {
    ...{ from: 'command', reads: true, within: true },
    payload: (_, channel) => message(94, u32(channel), text('x')),
  },
  'ends of output': { from: 'command', payload: (_, channel) => message(96, u32(channel)) },
};

/**
 * Floods that must make the client close the connection.
 * @type {readonly string[]}
 */
export const FLOOD_KINDS = Object.keys(FLOODS).filter((kind) => !FLOODS[kind].within);

const BURST = 20;
const MAX_UNSENT_BYTES = 64 * 1024;

/**
 * @param {string} kind name of a flood; see {@link FLOOD_KINDS}
 * @param {{ privateKey: string, address?: string, port?: number, maxBytes?: number, onCommand?: (channel: unknown) =>
 *   boolean }} options `maxBytes`: limit per connection
 */
export async function startFloodingHost(
  kind,
  { privateKey, address = '127.0.0.1', port = 0, maxBytes = 64 * 1024 * 1024 },
) {
  const flood = FLOODS[kind];
  if (!flood) throw new Error(`No such flood: ${kind}`);
  const publicKey = ssh2.utils.parseKey(privateKey).getPublicSSH();
  const host = { kind, port: 0, publicKey, connections: 0, exhausted: 0, sentBytes: 0 };
  const sockets = new Set();

  async function pump(socket, sendOne) {
    for (let startedAt = socket.bytesWritten; !socket.destroyed; await turn()) {
      for (let sent = 0; sent < BURST && !socket.destroyed; sent += 1) sendOne();
      if (socket.bytesWritten - startedAt > maxBytes) {
        host.exhausted += 1;
        return;
      }
      if (socket.writableLength > MAX_UNSENT_BYTES)
        await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
    }
  }

  const server = new ssh2.Server({ hostKeys: [privateKey], ident: 'OpenSSH_9.9 Flood' }, (client) => {
    const { _protocol: protocol, _sock: socket } = client;
    let startedAt = false;
    const begin = (end) => {
      if (startedAt) return;
      startedAt = true;
      if (!flood.reads) socket.pause();
      if (flood.rekeys) {
        client.on('rekey', () => setImmediate(() => socket.destroyed || protocol.rekey()));
        protocol.rekey();
        return;
      }
      void pump(socket, () => {
        if (flood.within && end.window-- <= 0) return end.window++;
        const payload = flood.payload(host, end?.id);
        const { write } = protocol._packetRW;
        const packet = write.alloc(payload.length);
        packet.set(payload, write.allocStart);
        protocol._cipher.encrypt(write.finalize(packet));
      });
    };
    client.on('error', () => undefined);
    client.on('handshake', () => flood.from === 'keys' && begin());
    client.on('authentication', (context) => {
      if (flood.from === 'login') return begin();
      context.accept();
    });
    client.on('ready', () => flood.from === 'signed-in' && begin());
    client.on('session', (accept) => {
      accept().on('exec', (acceptExec) => {
        const channel = acceptExec();
        channel.on('error', () => undefined);
        if (flood.from === 'command') begin(channel.outgoing);
      });
    });
  });
  const listener = net.createServer((socket) => {
    host.connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      host.sentBytes += socket.bytesWritten - socket.writableLength;
    });
    if (flood.from !== 'tcp') return server.injectSocket(socket);
    if (flood.first) socket.write(flood.first);
    void pump(socket, () => socket.write(flood.bytes()));
  });
  listener.listen(port, address);
  await once(listener, 'listening');
  host.port = listener.address().port;
  host.stop = async () => {
    for (const socket of sockets) socket.destroy();
    listener.close();
    await once(listener, 'close');
  };
  return host;
}
