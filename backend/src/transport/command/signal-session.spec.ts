import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { isAlive } from '../../../test/support/processes.js';
import { signalSessionText } from './signal-session.js';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const { pid } of children.splice(0))
    spawnSync('sh', ['-c', signalSessionText({ pid: pid!, startTime: '-' }, 'KILL')]);
});

/** A session whose leader has written the numbers of processes that it started. */
async function session(script: string): Promise<{ pid: number; startTime: string; started: number[] }> {
  const child = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const pid = child.pid!;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return { pid, startTime: fields[19] ?? '', started: line.toString().trim().split(' ').map(Number) };
}

const signal = (text: string, env = process.env) => spawnSync('sh', ['-c', text], { env, encoding: 'utf8' });

const TREE = 'sleep 71 & a=$!; timeout 72 sleep 72 & sleep 0.1; echo $$ $a $!; wait';

describe('signalling a session', () => {
  it('reaches its group and what has left the group', async () => {
    const { pid, startTime, started } = await session(TREE);
    signal(signalSessionText({ pid, startTime }, 'TERM'));
    for (const each of started) await eventually(`${each} has ended`, async () => !(await isAlive(each)));
  });

  it('reaches what is left when its leader has ended', async () => {
    const { pid, startTime, started } = await session('sleep 73 & echo $!; sleep 0.3');
    await eventually('the leader has ended', async () => !(await isAlive(pid)));
    expect(await isAlive(started[0]!)).toBe(true);
    signal(signalSessionText({ pid, startTime }, 'TERM'));
    await eventually('the rest has ended', async () => !(await isAlive(started[0]!)));
  });

  it('spares another process that has got the number of the leader', async () => {
    const { pid, startTime, started } = await session(TREE);
    signal(signalSessionText({ pid, startTime: String(Number(startTime) - 1) }, 'KILL'));
    for (const each of started) expect(await isAlive(each)).toBe(true);
  });

  it('signals first as the user that the command became, and does without where sudo refuses', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'runward-sudo-'));
    try {
      const sudo = path.join(folder, 'sudo');
      const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
      for (const status of [0, 1]) {
        const { pid, startTime, started } = await session('sleep 74 & echo $$ $!; wait');
        const run = status === 0 ? 'shift 5; exec "$@"' : 'exit 1';
        await writeFile(sudo, `#!/bin/sh\necho "sudo $@" >'${folder}/asked'\n${run}\n`);
        await chmod(sudo, 0o755);
        signal(signalSessionText({ pid, startTime }, 'TERM', 'deploy'), env);
        expect(readFileSync(path.join(folder, 'asked'), 'utf8')).toBe('sudo -n -H -u deploy -- /bin/sh\n');
        for (const each of started) await eventually(`${each} has ended`, async () => !(await isAlive(each)));
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is text that every login shell reads as the same words', () => {
    const text = signalSessionText({ pid: 4711, startTime: '123' }, 'KILL', 'deploy');
    expect(text).toMatch(/^exec \/bin\/sh -c '[^'!`\\\n]*'$/);
  });
});
