import type { EntityManager } from 'typeorm';
import {
  type LaterRevision,
  type RevisionAuthor,
  type RevisionRange,
  findRevisionsSince,
  type UsedRevisionRef,
} from '../revisions/revision-author.js';
import { type ContentSource, type LibraryKind, revisionTableOf } from './library-kind.js';
import { LibraryRecords } from './library-records.js';

/** Latest revision of a script or template. */
export interface LatestContent {
  name: string;
  revision: number;
  content: string;
  /** Git source of the content, which is then empty until it is read; undefined = content is stored in the record. */
  source?: ContentSource;
}

/** Reads the scripts or templates of a tenant for other modules. */
export abstract class LibraryReader {
  protected readonly records: LibraryRecords;

  protected constructor(private readonly kind: LibraryKind) {
    this.records = new LibraryRecords(kind);
  }

  /** Returns the records with these IDs or names. Names are case-insensitive. */
  named(tx: EntityManager, tenantId: string, namesOrIds: readonly string[]): Promise<{ id: string; name: string }[]> {
    return this.records.findByNameOrId(tx, tenantId, namesOrIds);
  }

  /** Returns those of these revisions that were saved after `since`, with their authors. */
  findRevisionsSavedSince(
    tx: EntityManager,
    tenantId: string,
    used: readonly UsedRevisionRef[],
    since: Date,
  ): Promise<LaterRevision[]> {
    return findRevisionsSince(tx, tenantId, revisionTableOf(this.kind), used, since);
  }

  /** Returns the authors of these revisions; null = the record was deleted. */
  authors(tx: EntityManager, tenantId: string, range: RevisionRange): Promise<RevisionAuthor[] | null> {
    return this.records.findRevisionAuthors(tx, tenantId, range);
  }
}
