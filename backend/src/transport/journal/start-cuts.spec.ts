import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { evidence, newEntry } from '../../../test/support/journal-host.js';
import { type Cut, type ShellHost, startShellHost } from '../../../test/support/shell-host.js';
import { reportedStart } from '../../../test/support/reported-start.js';
import type { SshConnection } from '../connection/ssh-connection.js';

const LANES = 8;

let base: string;
beforeAll(async () => {
  base = await mkdtemp(path.join(os.tmpdir(), 'runward-cuts-'));
});
afterAll(() => rm(base, { recursive: true, force: true }));

describe.each([
  ['dash', 5],
  ['bash', 16],
  ['busybox', 16],
])('a truncated channel, on a host whose /bin/sh is %s,', (shell, every) => {
  interface Lane {
    host: ShellHost;
    connection: SshConnection;
  }
  let home: string;
  let lanes: Lane[];
  let numbered = 0;
  beforeAll(async () => {
    home = path.join(base, shell);
    mkdirSync(home);
    const sh = path.join(home, 'sh');
    symlinkSync(execFileSync('sh', ['-c', `command -v ${shell}`], { encoding: 'utf8' }).trim(), sh);
    const env = { HOME: home, PATH: process.env['PATH'] ?? '' };
    const lane = async (): Promise<Lane> => {
      const host = await startShellHost([sh, '-c'], env, (text) => text.replaceAll('/bin/sh', sh));
      return { host, connection: await host.connect() };
    };
    lanes = await Promise.all(Array.from({ length: LANES }, lane));
  });
  afterAll(async () => {
    for (const { host, connection } of lanes) {
      connection.end();
      await host.stop();
    }
  });

  async function start({ host, connection }: Lane, journaled: boolean, cut: Cut) {
    numbered += 1;
    const file = path.join(home, `count-${numbered}`);
    const journal = journaled ? newEntry() : undefined;
    host.cutNextCommand(cut);
    const reported = await reportedStart(connection, { script: `echo x >>${file}`, journal });
    return { told: reported, starts: evidence(file).length };
  }

  it.each([
    ['with a journal', true],
    ['without a journal', false],
  ])('starts a command %s at most once, and its reported result is true', async (_how, journaled) => {
    const [first] = lanes as [Lane];
    const whole = await start(first, journaled, {});
    expect(whole).toMatchObject({ told: { word: 'started' }, starts: 1 });
    const { sent, said } = { ...first.host.last };
    const cuts: Cut[] = [];
    for (let at = 0; at <= sent; at += every) cuts.push({ sent: at });
    for (let at = 0; at <= said; at += every) cuts.push({ said: at });
    const faults: string[] = [];
    const sweep = async (lane: Lane) => {
      for (let cut = cuts.pop(); cut; cut = cuts.pop()) {
        const { told: reported, starts } = await start(lane, journaled, cut);
        const { word, why } = reported;
        // The host cannot be asked about a command without a journal.
        const right = word === 'unknown' ? !journaled && why !== '' : starts === (word === 'started' ? 1 : 0);
        if (starts > 1 || !right) faults.push(`${JSON.stringify(cut)}: ${starts} starts, told ${word} (${why})`);
      }
    };
    expect(cuts.length).toBeGreaterThan(350 / every);
    await Promise.all(lanes.map(sweep));
    expect(faults).toEqual([]);
  });
});
