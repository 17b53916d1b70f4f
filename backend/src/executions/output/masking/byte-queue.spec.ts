import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../../../test/support/seeded-random.js';
import { ByteQueue } from './byte-queue.js';

/** Larger than the buffers in Node.js's shared pool: each buffer of this size has separate memory. */
const LARGE = 10_000;

describe('byte queue', () => {
  it('returns the bytes of each range of the stream once, in whatever pieces they arrive and are taken', () => {
    const random = seededRandom(7);
    for (let round = 0; round < 50; round += 1) {
      const queue = new ByteQueue();
      const stream = random.bytes(400);
      let byteCount = 0;
      let gone = 0;
      while (gone < stream.length) {
        if (byteCount === gone && random.int(4) === 0) {
          const passed = Math.min(random.int(20), stream.length - byteCount);
          queue.skipBytes(passed);
          byteCount += passed;
          gone += passed;
        }
        const end = Math.min(byteCount + random.int(40), stream.length);
        queue.appendBytes(Buffer.from(stream.subarray(byteCount, end)));
        byteCount = end;
        const until = gone - 5 + random.int(byteCount - gone + 15);
        const taken = queue.takeUntil(until);
        expect(taken).toEqual(stream.subarray(gone, Math.max(gone, Math.min(until, byteCount))));
        gone += taken.length;
        expect(queue.length).toBe(byteCount - gone);
      }
    }
  });

  it('never overwrites taken bytes', () => {
    const queue = new ByteQueue();
    queue.appendBytes(Buffer.alloc(LARGE, 1));
    queue.appendBytes(Buffer.alloc(LARGE, 2));
    const taken = queue.takeUntil(LARGE);
    queue.appendBytes(Buffer.alloc(LARGE, 3));
    queue.takeUntil(2 * LARGE);
    queue.appendBytes(Buffer.alloc(LARGE, 4));
    expect(taken).toEqual(Buffer.alloc(LARGE, 1));
  });

  it('copies nothing while a quarter of the memory is in use', () => {
    const bytes = Buffer.alloc(LARGE);
    const queue = new ByteQueue();
    queue.appendBytes(bytes);
    queue.takeUntil((3 * LARGE) / 4);
    expect(queue.takeUntil(LARGE).buffer).toBe(bytes.buffer);
  });

  it('copies nothing while there is free space after the waiting bytes, to the last byte', () => {
    const queue = new ByteQueue();
    queue.appendBytes(Buffer.alloc(LARGE));
    queue.appendBytes(Buffer.alloc(LARGE));
    const { buffer } = queue.takeUntil(1);
    queue.appendBytes(Buffer.alloc(2 * LARGE));
    expect(queue.takeUntil(2).buffer).toBe(buffer);
  });

  it('does not keep a large buffer for a few bytes', () => {
    const bytes = Buffer.alloc(LARGE);
    const queue = new ByteQueue();
    queue.appendBytes(bytes);
    queue.takeUntil((3 * LARGE) / 4 + 1);
    expect(queue.takeUntil(LARGE).buffer).not.toBe(bytes.buffer);
  });
});
