import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import { rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { isId } from '../../common/ids.js';
import { Mirrors } from '../mirror/mirrors.js';
import { parseGitUrl } from '../urls/git-url.js';

const SWEEP_INTERVAL_MS = 3_600_000;
/** Age in ms above which temporary files belong to a killed process: no call takes this long. */
const MAX_TEMPORARY_AGE_MS = 600_000;

@Injectable()
export class MirrorSweep {
  private readonly log = new Logger('Git');
  private sweptAt = -Infinity;

  constructor(
    private readonly units: UnitOfWork,
    private readonly mirrors: Mirrors,
  ) {}

  /** Starts a sweep if the last one was at least an hour ago. Returns immediately and never throws. */
  sweepIfDue(): void {
    const now = performance.now();
    if (now - this.sweptAt < SWEEP_INTERVAL_MS) return;
    this.sweptAt = now;
    this.sweep().catch((error: unknown) => this.log.warn(`Old mirrors could not be deleted: ${String(error)}`));
  }

  async sweep(now = Date.now()): Promise<void> {
    const { temporary, mirrors } = this.mirrors.folders;
    const longest = Math.max(MAX_TEMPORARY_AGE_MS, 2 * this.mirrors.limits.timeoutMs);
    for (const name of await listNames(temporary)) {
      const path = join(temporary, name);
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: now }));
      if (now - mtimeMs > longest) await rm(path, { recursive: true, force: true });
    }
    for (const tenantId of (await listNames(mirrors)).filter(isId)) {
      const keptMirrors = await this.findKeptMirrors(tenantId);
      const folder = join(mirrors, tenantId);
      for (const name of await listNames(folder)) {
        // Strips the suffixes of lock files and of mirrors that are being created, which leaves `x.git`.
        if (!keptMirrors.has(name.replace(/\.git\..*$/, '.git')))
          await rm(join(folder, name), { recursive: true, force: true });
      }
    }
  }

  private async findKeptMirrors(tenantId: string): Promise<Set<string>> {
    const sources = await this.units.run(tenantId, (tx) =>
      rows(tx, sql<{ id: string; url: string }>`select id, url from git_sources where tenant_id = ${tenantId}`),
    );
    return new Set(
      sources.flatMap(({ id, url: text }) => {
        const url = parseGitUrl(text);
        return typeof url === 'string' ? [] : [basename(this.mirrors.getFolder({ tenantId, id, url }))];
      }),
    );
  }
}

const listNames = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
