import { describe, expect, it } from '@jest/globals';
import { FairLookups } from './fair-lookups.js';

describe('DNS lookups for webhooks', () => {
  it('run one at a time per tenant, so that names that do not resolve delay no other tenant', async () => {
    const requested: string[] = [];
    let answer = () => {};
    const lookups = new FairLookups((host) => {
      requested.push(host);
      if (host === 'quick.test') return Promise.resolve([{ address: '192.0.2.1' }]);
      return new Promise((_, reject) => (answer = () => reject(new Error('ENOTFOUND'))));
    });
    const slow = [1, 2, 3].map((n) =>
      lookups
        .of('noisy')(`mute-${n}.test`)
        .catch(() => 'none'),
    );
    expect(await lookups.of('quiet')('quick.test')).toEqual([{ address: '192.0.2.1' }]);
    expect(requested).toEqual(['mute-1.test', 'quick.test']);
    for (const each of slow) {
      answer();
      expect(await each).toBe('none');
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(requested.slice(2)).toEqual(['mute-2.test', 'mute-3.test']);
  });

  it('fail for a tenant that has too many waiting', async () => {
    const lookups = new FairLookups(() => new Promise(() => undefined));
    const requested = Array.from({ length: 102 }, () => lookups.of('noisy')('mute.test'));
    await expect(requested.at(-1)).rejects.toThrow('Too many name lookups');
  });
});
