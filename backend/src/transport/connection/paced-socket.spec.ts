import { Duplex } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { MAX_UNSENT_BYTES, PacedSocket } from './paced-socket.js';

const IDENTIFICATION = 'SSH-2.0-x\r\n';
const KIB = 1024;
const turns = async (count = 20) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

class Wire extends Duplex {
  takes = true;
  sent = 0;
  private full: (() => void) | null = null;

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.sent += chunk.length;
    if (this.takes) done();
    else this.full = done;
  }

  drain(): void {
    this.takes = true;
    this.full?.();
  }
}

function opened(log: string[] = [], name = ''): { wire: Wire; socket: PacedSocket; log: string[] } {
  const wire = new Wire();
  const socket = new PacedSocket(wire);
  socket.on('data', (bytes: Buffer) => log.push(`${name}${bytes.length}`));
  socket.on('end', () => log.push(`${name}end`));
  socket.on('error', (error) => log.push(`${name}${error.message}`));
  socket.on('close', () => log.push(`${name}close`));
  wire.push(IDENTIFICATION);
  return { wire, socket, log };
}

describe('a paced socket', () => {
  it('alternates slices between several sockets', async () => {
    const log: string[] = [];
    const sockets = [opened(log, 'a'), opened(log, 'b')];
    await turns();
    log.splice(0);
    for (const { wire, socket } of sockets) {
      // Each slice takes as long as a whole turn may take.
      socket.on('data', () => {
        for (const begun = performance.now(); performance.now() - begun < 3; );
      });
      wire.push(Buffer.alloc(64 * KIB));
    }
    await turns(60);
    const of = (name: string) => log.filter((each) => each.startsWith(name)).map((each) => Number(each.slice(1)));
    for (const name of ['a', 'b']) {
      expect(of(name).reduce((sum, bytes) => sum + bytes, 0)).toBe(64 * KIB);
      expect(Math.max(...of(name))).toBeLessThanOrEqual(16 * KIB);
    }
    const names = log.map((each) => each.charAt(0)).join('');
    expect(names).toMatch(/^a{1,2}(ba){3,}/);
  });

  it('keeps data that arrived before the end or an error', async () => {
    const ended = opened();
    ended.wire.push(Buffer.alloc(40 * KIB));
    ended.wire.push(null);
    await turns();
    const total = (log: string[]) => log.reduce((sum, each) => sum + (Number(each) || 0), -IDENTIFICATION.length);
    expect(total(ended.log)).toBe(40 * KIB);
    expect(ended.log.slice(-2)).toEqual(['end', 'close']);
    const broken = opened();
    broken.wire.push(Buffer.alloc(20 * KIB));
    await turns(1);
    broken.wire.destroy(new Error('reset'));
    await turns();
    expect(total(broken.log)).toBe(20 * KIB);
    expect(broken.log.slice(-2)).toEqual(['reset', 'close']);
  });

  it('reports the end before the close if both arrive while other sockets have their turn', async () => {
    const other = opened();
    await turns();
    other.socket.on('data', () => {
      for (const begun = performance.now(); performance.now() - begun < 3; );
    });
    const ended = opened();
    await turns();
    other.wire.push(Buffer.alloc(64 * KIB));
    ended.wire.push(Buffer.alloc(KIB));
    ended.wire.push(null);
    ended.wire.once('end', () => ended.wire.destroy());
    await turns(60);
    expect(ended.log.slice(-3)).toEqual([String(KIB), 'end', 'close']);
  });

  it('closes with the connection even while it waits to send', async () => {
    const { wire, socket, log } = opened();
    await turns();
    wire.takes = false;
    socket.write(Buffer.alloc(KIB));
    wire.push(null);
    await turns();
    expect(log.at(-1)).toBe('end');
    wire.destroy();
    await turns();
    expect(log.at(-1)).toBe('close');
  });

  it('is not read while the peer does not read', async () => {
    const { wire, socket, log } = opened();
    await turns();
    wire.takes = false;
    socket.write(Buffer.alloc(MAX_UNSENT_BYTES + 1));
    log.splice(0);
    for (let piece = 0; piece < 64; piece += 1) wire.push(Buffer.alloc(64 * KIB));
    await turns();
    expect(log).toEqual([]);
    expect(wire.readableLength).toBeGreaterThan(3 * KIB * KIB);
    wire.drain();
    await turns(200);
    expect(log.reduce((sum, each) => sum + Number(each), 0)).toBe(64 * 64 * KIB);
  });

  it('ignores further data after `finish`, and closes', async () => {
    const { wire, socket, log } = opened();
    await turns();
    log.splice(0);
    socket.write('bye');
    socket.finishSending();
    wire.push(Buffer.alloc(KIB));
    await turns();
    expect({ log, sent: wire.sent, destroyed: wire.destroyed }).toEqual({ log: ['close'], sent: 3, destroyed: true });
  });

  it('handles nothing while it rests, and delivers the buffered data in order when the connection is lost', async () => {
    const { wire, socket, log } = opened();
    await turns();
    log.splice(0);
    socket.pauseReading(3_600_000);
    wire.push(Buffer.alloc(3));
    wire.push(Buffer.alloc(4));
    await turns();
    expect(log).toEqual([]);
    wire.destroy(new Error('reset'));
    await turns();
    expect(log).toEqual(['3', '4', 'reset', 'close']);
  });
});
