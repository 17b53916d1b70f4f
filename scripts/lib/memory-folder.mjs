/** A folder in memory for what tests write and throw away. */
import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem } from 'node:os';
import path from 'node:path';

const PLACE = '/dev/shm';
/** `f_type` of a file system in memory, statfs(2). */
const TMPFS = 0x01021994;
const NAME = /^runward-(\d+)$/;
const GIB = 2 ** 30;
/** All tests write 0.4 GiB at the most at a time; what runs beside them takes some more memory. */
const ROOM = 2 * GIB;
const MEMORY = 6 * GIB;
/** A run makes something in its folder far more often: the process of one in another container can't be seen from here. */
const QUIET_MS = 3_600_000;

/**
 * Makes a folder in memory, which goes when this process ends: a database is cloned there in a tenth of the time that
 * the file system of a virtual disk may take. Takes away what processes of the same user left
 * behind that were killed an hour ago or longer.
 *
 * @returns {string | null} its path; null where there is no such place, too little of it, or no program can be run from it
 */
export function memoryFolder(place = PLACE) {
  try {
    removeLeftOver(place);
    const { type, bavail, bsize } = statfsSync(place);
    if (type !== TMPFS || bavail * bsize < ROOM || freemem() < MEMORY) return null;
    const folder = path.join(place, `runward-${process.pid}`);
    mkdirSync(folder);
    process.once('exit', () => remove(folder));
    // as /tmp: servers of the tests run as other users
    chmodSync(folder, 0o1777);
    return runsPrograms(folder) ? folder : null;
  } catch {
    return null;
  }
}

function runsPrograms(folder) {
  const program = path.join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}

function removeLeftOver(place) {
  for (const name of readdirSync(place)) {
    const [, pid] = NAME.exec(name) ?? [];
    const folder = path.join(place, name);
    if (pid !== undefined && !runs(Number(pid)) && isOwnAndQuiet(folder)) remove(folder);
  }
}

function isOwnAndQuiet(folder) {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() && found.uid === process.getuid() && Date.now() - found.mtimeMs > QUIET_MS;
}

/** What can't be removed, because something still writes to it, fails no tests. */
function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // a later run tries again
  }
}

function runs(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}
