import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem } from 'node:os';
import path from 'node:path';

const PLACE = '/dev/shm';
/** File system type of tmpfs: `f_type` in statfs(2). */
const TMPFS = 0x01021994;
const NAME = /^runward-(\d+)$/;
const GIB = 2 ** 30;
/** Required free space in bytes. The tests write at most 0.4 GiB at a time; other programs also need memory. */
const MIN_FREE_BYTES = 2 * GIB;
const MEMORY = 6 * GIB;
/**
 * Minimum age in ms of a folder before it is deleted. Its process may run invisibly in another container, but would
 * write more often than this.
 */
const QUIET_MS = 3_600_000;

/**
 * Creates an in-memory folder that is deleted when this process exits. Cloning a database there takes a tenth of the
 * time that a virtual disk takes. Also deletes folders of the same user whose process is gone and that have not changed
 * for an hour.
 *
 * @returns {string | null} path; null: no tmpfs, not enough free memory, or tmpfs is mounted noexec
 */
export function memoryFolder(place = PLACE) {
  try {
    removeLeftOver(place);
    const { type, bavail, bsize } = statfsSync(place);
    if (type !== TMPFS || bavail * bsize < MIN_FREE_BYTES || freemem() < MEMORY) return null;
    const folder = path.join(place, `runward-${process.pid}`);
    mkdirSync(folder);
    process.once('exit', () => remove(folder));
    // Same mode as /tmp, because sshd processes of the tests run as other users.
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

/** Ignores errors, because a file that is still in use must not fail a test run. */
function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // A later run tries again.
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
