import { describe, expect, it } from '@jest/globals';
import { FairLookups } from './fair-lookups.js';

describe('looking names up', () => {
  it('is one tenant’s one at a time, so that names without an answer hold up nobody else', async () => {
    const asked: string[] = [];
    let answer = () => {};
    const lookups = new FairLookups((host) => {
      asked.push(host);
      if (host === 'quick.test') return Promise.resolve([{ address: '192.0.2.1' }]);
      return new Promise((_, reject) => (answer = () => reject(new Error('ENOTFOUND'))));
    });
    const slow = [1, 2, 3].map((n) =>
      lookups
        .of('noisy')(`mute-${n}.test`)
        .catch(() => 'none'),
    );
    expect(await lookups.of('quiet')('quick.test')).toEqual([{ address: '192.0.2.1' }]);
    expect(asked).toEqual(['mute-1.test', 'quick.test']);
    for (const each of slow) {
      answer();
      expect(await each).toBe('none');
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(asked.slice(2)).toEqual(['mute-2.test', 'mute-3.test']);
  });

  it('is refused to a tenant that asks for too many', async () => {
    const lookups = new FairLookups(() => new Promise(() => undefined));
    const asked = Array.from({ length: 102 }, () => lookups.of('noisy')('mute.test'));
    await expect(asked.at(-1)).rejects.toThrow('Too many names');
  });
});
