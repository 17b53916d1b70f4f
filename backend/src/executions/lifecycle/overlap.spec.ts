import { describe, expect, it } from '@jest/globals';
import { type GuardedRun, listRunGuardKeys, toHostGuardKey, listHostGuardKeys } from './overlap.js';

const run = (hosts: { hostname: string; port: number }[], more: Partial<GuardedRun> = {}) =>
  listRunGuardKeys({ planId: 'p', environmentId: 'e', hosts, parallelSafe: false, locks: [], ...more });

describe("a run's guard keys", () => {
  it('are its plan in its environment and each of its hosts, sorted', () => {
    const keys = run([
      { hostname: 'web-2', port: 22 },
      { hostname: 'web-1', port: 22 },
    ]);
    expect(keys).toEqual(['host:web-1:22', 'host:web-2:22', 'plan:p:e']);
  });

  it('hold one key for the same address, however often and in whatever case it was registered', () => {
    const keys = run([
      { hostname: 'Web-1', port: 22 },
      { hostname: 'web-1', port: 22 },
    ]);
    expect(keys).toEqual(['host:web-1:22', 'plan:p:e']);
  });

  it('share a key for an address with two spellings', () => {
    const [one, other] = ['0:0:0:0:0:0:0:1', '[::1]'].map((hostname) => run([{ hostname, port: 22 }]));
    expect(one?.filter((key) => other?.includes(key))).toEqual(['host:::1:22', 'plan:p:e']);
  });

  it('hold the key that earlier versions used for an address in its original spelling', () => {
    expect(listHostGuardKeys({ hostname: 'Web-1.Example.com.', port: 22 })).toEqual([
      'host:web-1.example.com:22',
      'host:web-1.example.com.:22',
    ]);
    expect(listHostGuardKeys({ hostname: 'Web-1', port: 22 })).toEqual(['host:web-1:22']);
  });

  it('distinguish two ports of one address', () => {
    expect(toHostGuardKey({ hostname: 'web', port: 22 })).not.toBe(toHostGuardKey({ hostname: 'web', port: 2222 }));
  });

  it('come in the same order whatever the order of the hosts, so that concurrent starts cannot deadlock', () => {
    const hosts = Array.from({ length: 30 }, (_, n) => ({ hostname: `10.0.0.${(n * 7) % 30}`, port: 22 }));
    expect(run(hosts)).toEqual(run([...hosts].reverse()));
  });

  it('differ between environments for one plan, so that it may run in both', () => {
    expect(run([], { environmentId: 'e2' })).not.toEqual(run([]));
  });

  it('hold the locks that the plan names', () => {
    expect(run([], { locks: ['db', 'cache'] })).toEqual(['lock:cache', 'lock:db', 'plan:p:e']);
  });

  it('exclude the plan when it is safe to run it several times at once', () => {
    expect(run([{ hostname: 'web', port: 22 }], { parallelSafe: true })).toEqual(['host:web:22']);
  });
});
