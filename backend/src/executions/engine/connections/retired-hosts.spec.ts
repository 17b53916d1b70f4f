import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type RetiredHost, RetiredHosts } from './retired-hosts.js';

let calls: string[];
let answer: () => Promise<void>;
const hostOf = (serverId: string): RetiredHost => ({
  serverId,
  folderId: `folder of ${serverId}`,
  dispatchIds: [`command of ${serverId}`],
  connection: {
    forget: (folderId, options = {}) => {
      calls.push(`${folderId}: ${options.whole ? 'all' : (options.dispatchIds ?? []).join()}`);
      return answer();
    },
    end: () => void calls.push(`${serverId} ended`),
  },
});

beforeEach(() => {
  jest.useFakeTimers();
  calls = [];
  answer = () => Promise.resolve();
});
afterEach(() => void jest.useRealTimers());

describe('a host with no step of a run left', () => {
  it('clears its journal after hosts with steps left, but soon, and then its connection ends', async () => {
    const hosts = new RetiredHosts(Date.now);
    hosts.add(hostOf('a'));
    await jest.advanceTimersByTimeAsync(3_000);
    hosts.add(hostOf('b'));
    await jest.advanceTimersByTimeAsync(1_999);
    expect(calls).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(calls).toEqual(['folder of a: command of a', 'a ended']);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(calls.slice(2)).toEqual(['folder of b: command of b', 'b ended']);
  });

  it('clears its journal immediately when the run is over, unless the result of a command is still unknown', async () => {
    const hosts = new RetiredHosts(Date.now);
    for (const id of ['a', 'b']) hosts.add(hostOf(id));
    await hosts.clearAll(new Set(['b']));
    expect(calls.sort()).toEqual(['a ended', 'b ended', 'folder of a: all', 'folder of b: command of b']);
  });

  it('is released unchanged when another worker takes the run over', async () => {
    const hosts = new RetiredHosts(Date.now);
    hosts.add(hostOf('a'));
    hosts.stop();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(calls).toEqual(['a ended']);
  });
});

describe('many hosts with no step of a run left', () => {
  it('keep at most two hundred connections and clear twenty journals at a time', async () => {
    const hosts = new RetiredHosts(Date.now);
    const answers: (() => void)[] = [];
    answer = () => new Promise((resolve) => answers.push(resolve));
    for (let n = 0; n < 250; n += 1) hosts.add(hostOf(`h${n}`));
    await jest.advanceTimersByTimeAsync(0);
    expect(calls).toHaveLength(20);
    for (let n = 0; n < 50; n += 1) {
      answers.shift()?.();
      await jest.advanceTimersByTimeAsync(0);
    }
    expect(calls.filter((each) => each.endsWith('ended'))).toHaveLength(50);
    expect(calls.filter((each) => each.startsWith('folder'))).toHaveLength(50);
  });
});
