import { describe, expect, it } from 'vitest';
import { checkMany, MOST_CHECKED } from './check-many';

const ids = (count: number) => Array.from({ length: count }, (_, index) => String(index));

describe('a check of selected servers', () => {
  it('looks at each once, at most four at the same time, and counts those that could not be checked', async () => {
    let [now, most] = [0, 0];
    const seen: string[] = [];
    const told: number[] = [];
    const check = async (id: string) => {
      now += 1;
      most = Math.max(most, now);
      seen.push(id);
      await Promise.resolve();
      now -= 1;
      if (id === '3') throw new Error('refused');
    };
    const result = await checkMany(ids(10), check, ({ done }) => told.push(done));
    expect(result).toEqual({ done: 10, failed: 1 });
    expect([most, seen.length, new Set(seen).size, told.at(-1)]).toEqual([4, 10, 10, 10]);
  });

  it('refuses more than may be', async () => {
    await expect(
      checkMany(
        ids(MOST_CHECKED + 1),
        () => Promise.resolve(),
        () => undefined,
      ),
    ).rejects.toThrow(RangeError);
  });
});
