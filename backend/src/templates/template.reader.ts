import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ContentSource, FrozenSource } from '../common/library/library-kind.js';
import { LibraryRecords } from '../common/library/library-records.js';
import {
  type LaterRevision,
  type RevisionAuthor,
  type RevisionRange,
  findRevisionsSince,
  type UsedRecord,
} from '../common/revisions/revision-author.js';
import { TEMPLATES } from './template-kind.js';

export interface TemplateContent {
  name: string;
  revision: number;
  content: string;
  /** Git source of the content, which is then empty until it is read; absent: stored in the record. */
  source?: ContentSource;
  /** File and commit of the content; absent: stored in the record. */
  git?: FrozenSource;
}

/** Gives other modules access to templates. */
@Injectable()
export class TemplateReader {
  private readonly records = new LibraryRecords(TEMPLATES);

  /**
   * Latest revisions of the tenant's templates with these IDs, by ID. Prevents their deletion until the end of the
   * transaction, so that a plan can start to use them.
   */
  async latest(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Map<string, TemplateContent>> {
    const rows = await this.records.used(tx, tenantId, ids);
    return new Map(
      [...rows].map(([id, { name, revision, content, source }]) => [
        id,
        { name, revision, content, ...(source ? { source } : {}) },
      ]),
    );
  }

  /** Templates with these IDs or names, ignoring case. */
  named(tx: EntityManager, tenantId: string, namesOrIds: readonly string[]): Promise<{ id: string; name: string }[]> {
    return this.records.named(tx, tenantId, namesOrIds);
  }

  /** Later revisions of these templates, saved after `since`, with their authors. */
  savedSince(tx: EntityManager, tenantId: string, used: readonly UsedRecord[], since: Date): Promise<LaterRevision[]> {
    return findRevisionsSince(tx, tenantId, { table: 'template_revisions', record: 'record_id' }, used, since);
  }

  /** Authors of these revisions; null: the template was deleted. */
  authors(tx: EntityManager, tenantId: string, range: RevisionRange): Promise<RevisionAuthor[] | null> {
    return this.records.authors(tx, tenantId, range);
  }
}
