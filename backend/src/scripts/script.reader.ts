import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type ContentSource, revisionTableOf } from '../library/library-kind.js';
import { LibraryRecords } from '../library/library-records.js';
import {
  type LaterRevision,
  type RevisionAuthor,
  type RevisionRange,
  findRevisionsSince,
  type UsedRevisionRef,
} from '../revisions/revision-author.js';
import { SCRIPTS } from './script-kind.js';

export interface ScriptContent {
  name: string;
  revision: number;
  /** Null: the first line of the content decides. */
  interpreter: string | null;
  content: string;
  /** Git source of the content, which is then empty until it is read; absent: stored in the record. */
  source?: ContentSource;
}

@Injectable()
export class ScriptReader {
  private readonly records = new LibraryRecords(SCRIPTS);

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

  /** Returns the scripts with these IDs or names. Names are case-insensitive. */
  named(tx: EntityManager, tenantId: string, namesOrIds: readonly string[]): Promise<{ id: string; name: string }[]> {
    return this.records.findByNameOrId(tx, tenantId, namesOrIds);
  }

  /** Returns later revisions of these scripts, saved after `since`, with their authors. */
  findRevisionsSavedSince(
    tx: EntityManager,
    tenantId: string,
    used: readonly UsedRevisionRef[],
    since: Date,
  ): Promise<LaterRevision[]> {
    return findRevisionsSince(tx, tenantId, revisionTableOf(SCRIPTS), used, since);
  }

  /** Returns the authors of these revisions; null: the script was deleted. */
  authors(tx: EntityManager, tenantId: string, range: RevisionRange): Promise<RevisionAuthor[] | null> {
    return this.records.findRevisionAuthors(tx, tenantId, range);
  }
}
