import { statfs } from 'node:fs/promises';
import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { databaseUnusableProblem } from '../errors/problem.js';
import { RUNTIME, type Runtime } from '../settings/runtime.js';

const MIB = 1024 * 1024;
/** Lifetime of a cached value and interval of the periodic check, in ms. */
const CACHE_MS = 1_000;
const CHECK_INTERVAL_MS = 60_000;

/** `low`: a warning is due. `too_low`: new runs are refused. */
export type DiskState = 'ok' | 'low' | 'too_low';

const LOW_SPACE_FACTOR = 2;

/** Free space on the disk of the embedded database. Unknown for an external database. */
@Injectable()
export class DiskSpace implements OnModuleInit, OnApplicationShutdown {
  private readonly log = new Logger('Disk');
  private timer: NodeJS.Timeout | null = null;
  private cachedState: { at: number; state: Promise<DiskState | null> } | null = null;
  private logged: DiskState = 'ok';

  constructor(@Inject(RUNTIME) private readonly runtime: Runtime) {}

  onModuleInit(): void {
    if (this.runtime.databaseFolder === undefined) return;
    this.timer = setInterval(() => void this.getDiskState(), CHECK_INTERVAL_MS);
    this.timer.unref();
    void this.getDiskState();
  }

  onApplicationShutdown(): void {
    if (this.timer) clearInterval(this.timer);
  }

  /** Resolves to null if unknown. */
  getDiskState(): Promise<DiskState | null> {
    const now = performance.now();
    if (!this.cachedState || now - this.cachedState.at > CACHE_MS)
      this.cachedState = { at: now, state: this.readDiskState() };
    return this.cachedState.state;
  }

  /** @throws Problem 503 `disk_space_low` */
  async requireFreeSpace(): Promise<void> {
    if ((await this.getDiskState()) === 'too_low') throw databaseUnusableProblem('disk_space_low');
  }

  private async readDiskState(): Promise<DiskState | null> {
    const { databaseFolder, settings } = this.runtime;
    if (databaseFolder === undefined) return null;
    const freeBytes = await readFreeBytes(databaseFolder);
    if (freeBytes === null) return null;
    const freeMib = Math.floor(freeBytes / MIB);
    const state = toDiskState(freeMib, settings.minFreeDiskMib);
    if (state !== this.logged && state !== 'ok')
      this.log.warn(createDiskWarning(state, freeMib, settings.minFreeDiskMib));
    this.logged = state;
    return state;
  }
}

/** Returns the free space for the database's user, in bytes; null = unknown. */
export async function readFreeBytes(folder: string): Promise<number | null> {
  const disk = await statfs(folder).catch(() => null);
  return disk && disk.bavail * disk.bsize;
}

const createDiskWarning = (state: DiskState, freeMib: number, minimum: number): string =>
  state === 'low'
    ? `The disk of the database has ${freeMib} MiB left. Below ${minimum} MiB (RUNWARD_MIN_FREE_DISK_MIB) new runs are refused.`
    : `The disk of the database has ${freeMib} MiB left, less than the ${minimum} MiB of RUNWARD_MIN_FREE_DISK_MIB: new runs are refused. Free space on it.`;

/** @param freeMib in MiB @param minFreeMib in MiB; 0 = no minimum */
export function toDiskState(freeMib: number, minFreeMib: number): DiskState {
  if (freeMib < minFreeMib) return 'too_low';
  return freeMib < minFreeMib * LOW_SPACE_FACTOR ? 'low' : 'ok';
}
