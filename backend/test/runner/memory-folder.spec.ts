import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const MODULE = resolve(import.meta.dirname, '../../../scripts/lib/memory-folder.mjs');
const TMPFS_FOLDER = '/dev/shm';

function folderFrom(place: string): { pid: number; folder: string } {
  const script = `import(${JSON.stringify(MODULE)}).then((it) => process.stdout.write(String(it.memoryFolder(${JSON.stringify(place)}))))`;
  const { pid, stdout, status } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  expect(status).toBe(0);
  return { pid, folder: stdout };
}

describe('the memory folder for test data', () => {
  it('is deleted when its process ends', () => {
    const { pid, folder: told } = folderFrom(TMPFS_FOLDER);
    expect(['null', `${TMPFS_FOLDER}/runward-${pid}`]).toContain(told);
    expect(existsSync(`${TMPFS_FOLDER}/runward-${pid}`)).toBe(false);
  });

  it('of a killed process is deleted, unless that process may still run in another container', () => {
    const { pid: ended } = spawnSync('true');
    const { pid: endedJustNow } = spawnSync('true');
    const places = [ended, endedJustNow, process.pid].map((pid) => `${TMPFS_FOLDER}/runward-${pid}`);
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    try {
      for (const [index, place] of places.entries()) {
        mkdirSync(place);
        writeFileSync(`${place}/left`, '');
        if (index !== 1) utimesSync(place, longAgo, longAgo);
      }
      folderFrom(TMPFS_FOLDER);
      expect(places.map((place) => existsSync(place))).toEqual([false, true, true]);
    } finally {
      for (const place of places) rmSync(place, { recursive: true, force: true });
    }
  });

  it('is not available on a disk or a missing path', () => {
    expect(folderFrom('/').folder).toBe('null');
    expect(folderFrom('/nowhere').folder).toBe('null');
  });
});
