import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const MODULE = resolve(import.meta.dirname, '../../../scripts/lib/memory-folder.mjs');
const PLACE = '/dev/shm';

/** What a process of its own, which has ended, was given there. */
function folderFrom(place: string): { pid: number; told: string } {
  const script = `import(${JSON.stringify(MODULE)}).then((it) => process.stdout.write(String(it.memoryFolder(${JSON.stringify(place)}))))`;
  const { pid, stdout, status } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  expect(status).toBe(0);
  return { pid, told: stdout };
}

describe('the folder in memory for what tests write', () => {
  it('is gone when the process that asked for it has ended', () => {
    const { pid, told } = folderFrom(PLACE);
    expect(['null', `${PLACE}/runward-${pid}`]).toContain(told);
    expect(existsSync(`${PLACE}/runward-${pid}`)).toBe(false);
  });

  it('takes away what a killed process left behind, but not what is another process’ that runs', () => {
    const { pid: ended } = spawnSync('true');
    const left = `${PLACE}/runward-${ended}`;
    mkdirSync(left);
    const mine = `${PLACE}/runward-${process.pid}`;
    mkdirSync(mine, { recursive: true });
    folderFrom(PLACE);
    expect([existsSync(left), existsSync(mine)]).toEqual([false, true]);
    spawnSync('rmdir', [mine]);
  });

  it('is none where a disk is, or nothing', () => {
    expect(folderFrom('/').told).toBe('null');
    expect(folderFrom('/nowhere').told).toBe('null');
  });
});
