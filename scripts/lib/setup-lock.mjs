import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cacheDir } from './paths.mjs';
import { say } from './terminal.mjs';

const file = path.join(cacheDir, 'setup.lock');

export async function withSetupLock(work) {
  mkdirSync(cacheDir, { recursive: true });
  let reported = false;
  while (!take()) {
    const holder = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
    if (holder > 0 && !isAlive(holder)) {
      rmSync(file, { force: true });
      continue;
    }
    if (!reported && holder > 0)
      say(`Waiting for process ${holder}, which installs or builds here (if it doesn't, remove ${file}).`);
    reported ||= holder > 0;
    await pause(200);
  }
  // Deletes the lock file even if a signal ends this process. A leftover file is harmless, because the next process
  // detects it.
  const release = () => rmSync(file, { force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

function take() {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
