import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { RenderingPrefetch } from './rendering-prefetch.js';

const hosts = Array.from({ length: 200 }, (_, n) => ({ serverId: `${n}` }));

function scene({
  size = 10,
  isDue = () => true,
  fails = false,
}: {
  size?: number;
  isDue?: (id: string) => boolean;
  fails?: boolean;
} = {}) {
  const begun: string[] = [];
  const ahead = new RenderingPrefetch<{ serverId: string }, string>(
    ({ serverId }) => {
      begun.push(serverId);
      return fails ? Promise.reject(new Error(serverId)) : Promise.resolve('x'.repeat(size));
    },
    ({ serverId }) => Promise.resolve(isDue(serverId)),
    (text) => text.length,
  );
  ahead.expectHosts(hosts);
  return { ahead, begun };
}
const [first] = hosts as [{ serverId: string }];

describe('prefetched renderings', () => {
  it('are started for the next hosts, once each, within the limit', async () => {
    const { ahead, begun } = scene();
    for (const host of hosts) {
      await ahead.getRendering(host);
      await ahead.getRendering(host);
      expect(begun.length).toBeLessThanOrEqual(Number(host.serverId) + 65);
      ahead.dropRendering(host);
    }
    expect(begun).toEqual(hosts.map(({ serverId }) => serverId));
  });

  it('are fewer where files are large', async () => {
    const { ahead, begun } = scene({ size: 4_000_000 });
    await ahead.getRendering(first);
    ahead.dropRendering(first);
    const before = begun.length;
    for (const host of hosts.slice(1, before)) {
      await ahead.getRendering(host);
      ahead.dropRendering(host);
    }
    expect(begun.length - before).toBeLessThanOrEqual(4);
  });

  it('are not made for hosts that need none, and fail for the host that requests them', async () => {
    const { ahead, begun } = scene({ isDue: (id) => id === '0' || id === '7' });
    await ahead.getRendering(first);
    await turnOfOthers();
    expect(begun).toEqual(['0', '7']);
    const failing = scene({ fails: true }).ahead;
    await expect(failing.getRendering(first)).rejects.toThrow('0');
    await expect(failing.getRendering(hosts[3] as { serverId: string })).rejects.toThrow('3');
  });

  it('accept hosts in any order, and hosts that ask again after they were dropped', async () => {
    const { ahead, begun } = scene();
    for (const host of hosts.toReversed()) {
      await ahead.getRendering(host);
      ahead.dropRendering(host);
    }
    expect(new Set(begun).size).toBe(200);
    await ahead.getRendering(first);
    expect(begun.at(-1)).toBe('0');
  });
});
