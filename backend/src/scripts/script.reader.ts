import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ContentSource } from '../common/library/library-kind.js';
import { LibraryRecords } from '../common/library/library-records.js';
import {
  type LaterRevision,
  type RevisionAuthor,
  type RevisionRange,
  savedSince,
  type UsedOnce,
} from '../common/revisions/revision-author.js';
import { SCRIPTS } from './script-kind.js';

/** The latest revision of a script. */
export interface ScriptContent {
  name: string;
  revision: number;
  /** Null: the first line of the content decides. */
  interpreter: string | null;
  content: string;
  /** Where the content stands, which is empty until it was read there; absent: the content is the record's own. */
  source?: ContentSource;
}

/** Hands out scripts to the rooms above. */
@Injectable()
export class ScriptReader {
  private readonly records = new LibraryRecords(SCRIPTS);

  /**
   * The latest revisions of those of the ids that the tenant has, by id. None of them is deleted before the transaction
   * ends: a plan that comes to use one can rely on it.
   */
  async latest(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Map<string, ScriptContent>> {
    const rows = await this.records.used(tx, tenantId, ids);
    return new Map(
      [...rows].map(([id, { name, revision, interpreter, content, source }]) => [
        id,
        { name, revision, interpreter, content, ...(source ? { source } : {}) },
      ]),
    );
  }

  /** Ids and names of the scripts of these names or ids; case is no difference. */
  named(tx: EntityManager, tenantId: string, namesOrIds: readonly string[]): Promise<{ id: string; name: string }[]> {
    return this.records.named(tx, tenantId, namesOrIds);
  }

  /** Those of the revisions of scripts that were saved after a moment, and by whom. */
  savedSince(tx: EntityManager, tenantId: string, used: readonly UsedOnce[], since: Date): Promise<LaterRevision[]> {
    return savedSince(tx, tenantId, { table: 'script_revisions', record: 'record_id' }, used, since);
  }

  /** Who saved these revisions of the script; null: it was deleted. */
  authors(tx: EntityManager, tenantId: string, range: RevisionRange): Promise<RevisionAuthor[] | null> {
    return this.records.authors(tx, tenantId, range);
  }
}
