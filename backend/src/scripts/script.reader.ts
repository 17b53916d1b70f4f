import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type LatestContent, LibraryReader } from '../library/library.reader.js';
import { SCRIPTS } from './script-kind.js';

export interface ScriptContent extends LatestContent {
  /** Null: the first line of the content decides. */
  interpreter: string | null;
}

@Injectable()
export class ScriptReader extends LibraryReader {
  constructor() {
    super(SCRIPTS);
  }

  /**
   * Returns the latest revisions of the tenant's scripts with these IDs, by ID. Locks them against deletion until the
   * transaction ends, so that a plan can start to use them.
   */
  async latest(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Map<string, ScriptContent>> {
    const rows = await this.records.findUsedRevisions(tx, tenantId, ids);
    return new Map(
      [...rows].map(([id, { name, revision, interpreter, content, source }]) => [
        id,
        { name, revision, interpreter, content, ...(source ? { source } : {}) },
      ]),
    );
  }
}
