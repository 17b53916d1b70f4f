/** Scripts or templates: where they stand in the database, and how steps name them. */
export interface LibraryKind {
  readonly records: 'scripts' | 'templates';
  readonly revisions: 'script_revisions' | 'template_revisions';
  /** Field of a step that holds the id of such a record. */
  readonly stepField: 'scriptId' | 'templateId';
  /** In sentences. */
  readonly word: 'script' | 'template';
}

/** Most bytes of one script or template, in UTF-8. */
export const MAX_CONTENT_BYTES = 262_144;

/** A script or template with its latest revision. */
export interface LibraryRow {
  id: string;
  name: string;
  description: string;
  /** Number of the latest revision, from 1. */
  revision: number;
  created_at: Date;
  updated_at: Date;
  version: number;
  /** Null for a template. */
  interpreter: string | null;
  /** Bytes of the content in UTF-8. */
  bytes: number;
}

export interface LibraryRevisionRow {
  id: string;
  number: number;
  interpreter: string | null;
  bytes: number;
  created_by: string;
  created_by_name: string;
  created_at: Date;
}

export type WithContent<T> = T & { content: string };

/** What a revision holds. */
export interface LibraryContent {
  content: string;
  interpreter: string | null;
}
