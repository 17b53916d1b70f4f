import { sql, type Sql } from '../common/database/sql.js';
import type { RevisionTable } from '../revisions/revision-author.js';

/** Properties of scripts or templates. `stepField`: field with which steps refer to them. */
export interface LibraryKind {
  readonly stepField: 'scriptId' | 'templateId';
  readonly word: 'script' | 'template';
  /**
   * Table of the records.
   * @sql scripts
   */
  readonly records: Sql;
  /**
   * Table of the revisions.
   * @sql script_revisions
   */
  readonly revisions: Sql;
}

export const revisionTableOf = ({ revisions }: LibraryKind): RevisionTable => ({
  table: revisions,
  recordId: sql`record_id`,
});

export const MAX_CONTENT_BYTES = 262_144;

export interface ContentSource {
  gitSourceId: string;
  path: string;
  /** Branch, tag or commit; null = the branch of the source. */
  ref: string | null;
}

export interface FrozenSource extends ContentSource {
  sourceName: string;
  commit: string;
  sha256: string;
}

export interface LibraryRow {
  id: string;
  name: string;
  description: string;
  /** Latest revision; the first one is 1. */
  revision: number;
  created_at: Date;
  updated_at: Date;
  version: number;
  /** Null for a template, and for a script whose first line names its program. */
  interpreter: string | null;
  /** First line of the content, at most 4,096 characters. */
  first_line: string;
  bytes: number;
  source: ContentSource | null;
}

export interface LibraryRevisionRow {
  id: string;
  number: number;
  interpreter: string | null;
  bytes: number;
  source: ContentSource | null;
  /** Reason for the revision; null = none. */
  message: string | null;
  created_by: string;
  created_by_name: string;
  created_at: Date;
}

export type WithContent<T> = T & { content: string };

export interface LibrarySave extends LibraryContent {
  name: string;
  description: string;
  /** Message of the revision, if the change creates one; null = none. */
  message: string | null;
}

export interface LibraryContent {
  /** Empty if the content has a source. */
  content: string;
  interpreter: string | null;
  source: ContentSource | null;
}
