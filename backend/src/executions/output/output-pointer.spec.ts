import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../../test/support/seeded-random.js';
import { createOutputPointers } from './run-events.js';

const chunk = (bytes: number, lineCount: number) => ({ data: Buffer.alloc(bytes), lineCount });

describe('chunks that are stored together', () => {
  it('become one event when they are short', () => {
    expect(createOutputPointers([chunk(100, 2), chunk(50, 1)])).toEqual([{ from: 1, to: 2, size: 750 }]);
    expect(createOutputPointers([])).toEqual([]);
  });

  it('are split when they are too long to send together, by bytes or by lines', () => {
    expect(createOutputPointers(Array.from({ length: 40 }, () => chunk(16_384, 10)))).toHaveLength(3);
    expect(createOutputPointers([chunk(16_384, 8_192), chunk(16_384, 8_192)])).toMatchObject([
      { from: 1, to: 1 },
      { from: 2, to: 2 },
    ]);
  });

  it('are in exactly one event each, in order', () => {
    const random = seededRandom(11);
    for (let round = 0; round < 200; round += 1) {
      const chunks = Array.from({ length: 1 + random.int(60) }, () => chunk(random.int(16_385), random.int(2_000)));
      const numbers = createOutputPointers(chunks).flatMap(({ from, to }) =>
        Array.from({ length: to - from + 1 }, (_, n) => from + n),
      );
      expect(numbers).toEqual(chunks.map((_, index) => index + 1));
    }
  });
});
