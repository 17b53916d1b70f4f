import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { isAlive } from '../../../test/support/processes.js';
import { type CommandStart, endProcessesCommand, listRemainingProcessesCommand } from './command-processes.js';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const { pid } of children.splice(0)) spawnSync('sh', ['-c', endProcessesCommand(start(pid!, '-'), 0)]);
});

async function sessionOf(script: string): Promise<{ pid: number; startTime: string; started: number[] }> {
  const child = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const pid = child.pid!;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return { pid, startTime: fields[19] ?? '', started: line.toString().trim().split(' ').map(Number) };
}

const signal = (text: string) => spawnSync('sh', ['-c', text], { encoding: 'utf8' });

const TREE = 'sleep 71 & a=$!; timeout 72 sleep 72 & sleep 0.1; echo $$ $a $!; wait';

const start = (pid: number, startTime: string, become: string | null = null): CommandStart => ({
  ...{ pid, startTime, become, dispatchId: randomUUID(), exited: false },
});

describe('ending a command', () => {
  it('ends its process group and processes that left the group', async () => {
    const { pid, startTime, started } = await sessionOf(TREE);
    signal(endProcessesCommand(start(pid, startTime), 2000));
    for (const each of started) await eventually(`${each} has ended`, async () => !(await isAlive(each)));
  });

  it('ends remaining processes after their leader has exited', async () => {
    const { pid, startTime, started } = await sessionOf('sleep 73 & echo $!; sleep 0.3');
    await eventually('the leader has ended', async () => !(await isAlive(pid)));
    expect(await isAlive(started[0]!)).toBe(true);
    signal(endProcessesCommand(start(pid, startTime), 2000));
    await eventually('the rest has ended', async () => !(await isAlive(started[0]!)));
  });

  it('does not signal another process that reuses the ID of the leader', async () => {
    const { pid, startTime, started } = await sessionOf(TREE);
    signal(endProcessesCommand(start(pid, String(Number(startTime) - 1)), 0));
    for (const each of started) expect(await isAlive(each)).toBe(true);
  });

  it.each([null, 'deploy'])(
    'uses text that every login shell parses into the same words, also as another user: %s',
    (become) => {
      for (const text of [
        endProcessesCommand(start(4711, '123', become), 10_000),
        listRemainingProcessesCommand(start(4711, '-', become)),
      ])
        expect(text).toMatch(/^exec \/bin\/sh -c '[^'!`\\\n]*'(?: runward '[^'!`\\\n]*')?$/);
    },
  );
});
