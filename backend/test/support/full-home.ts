import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Home directory on its own, full file system. Requires root. */
export interface FullHome {
  home: string;
  big: string;
  fill(): void;
  remove(): void;
}

export function makeFullHome(): FullHome {
  const home = mkdtempSync(path.join(os.tmpdir(), 'runward-full-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=777', 'tmpfs', home]);
  const big = path.join(home, 'big.log');
  const fill = () => {
    for (const size of [65_536, 4096, 1]) {
      try {
        for (;;) writeFileSync(big, Buffer.alloc(size), { flag: 'a' });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
    chmodSync(big, 0o666);
  };
  fill();
  return {
    home,
    big,
    fill,
    remove() {
      execFileSync('umount', ['-l', home]);
      rmSync(home, { recursive: true, force: true });
    },
  };
}
