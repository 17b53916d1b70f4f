import { Writable, Duplex } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { joinWrites } from './joined-writes.js';

function noting(): { socket: Duplex; out: string[] } {
  const out: string[] = [];
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => (out.push(chunk.toString()), done()),
    writev: (chunks, done) => (out.push(chunks.map(({ chunk }) => String(chunk)).join('+')), done()),
  });
  return { socket, out };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('joined writes', () => {
  it('are sent together at the end of the turn, in order', async () => {
    const { socket, out } = noting();
    joinWrites(socket);
    socket.write('a');
    await Promise.resolve();
    socket.write('b');
    expect(out).toEqual([]);
    await turn();
    socket.write('c');
    await turn();
    expect(out).toEqual(['a+b', 'c']);
  });

  it('are not lost when the socket ends in the same turn', async () => {
    const { socket, out } = noting();
    joinWrites(socket);
    socket.write('a');
    socket.end('b');
    await turn();
    expect(out.join('+')).toBe('a+b');
  });

  it('still report backpressure', () => {
    const { socket } = noting();
    joinWrites(socket);
    expect(socket.write(Buffer.alloc(1024 * 1024))).toBe(false);
    expect(socket).toBeInstanceOf(Writable);
  });
});
