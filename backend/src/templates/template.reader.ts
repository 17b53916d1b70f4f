import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type ContentSource, type FrozenSource, revisionTableOf } from '../library/library-kind.js';
import { LibraryRecords } from '../library/library-records.js';
import {
  type LaterRevision,
  type RevisionAuthor,
  type RevisionRange,
  findRevisionsSince,
  type UsedRevisionRef,
} from '../revisions/revision-author.js';
import { TEMPLATES } from './template-kind.js';

export interface TemplateContent {
  name: string;
  revision: number;
  content: string;
  /**
   * Git source of the content; `content` is empty until the file is read. Undefined = content is stored in the record.
   */
  source?: ContentSource;
  /** File and commit of the content; undefined = content is stored in the record. */
  git?: FrozenSource;
}

@Injectable()
export class TemplateReader {
  private readonly records = new LibraryRecords(TEMPLATES);

  /**
   * Returns the latest revisions by template ID. Locks the templates against deletion until the transaction ends, so
   * that a plan can start to use them.
   */
  async latest(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Map<string, TemplateContent>> {
    const rows = await this.records.findUsedRevisions(tx, tenantId, ids);
    return new Map(
      [...rows].map(([id, { name, revision, content, source }]) => [
        id,
        { name, revision, content, ...(source ? { source } : {}) },
      ]),
    );
  }

  named(tx: EntityManager, tenantId: string, namesOrIds: readonly string[]): Promise<{ id: string; name: string }[]> {
    return this.records.findByNameOrId(tx, tenantId, namesOrIds);
  }

  findRevisionsSavedSince(
    tx: EntityManager,
    tenantId: string,
    used: readonly UsedRevisionRef[],
    since: Date,
  ): Promise<LaterRevision[]> {
    return findRevisionsSince(tx, tenantId, revisionTableOf(TEMPLATES), used, since);
  }

  /** Null = the template was deleted. */
  authors(tx: EntityManager, tenantId: string, range: RevisionRange): Promise<RevisionAuthor[] | null> {
    return this.records.findRevisionAuthors(tx, tenantId, range);
  }
}
