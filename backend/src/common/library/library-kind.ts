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

/** Where the content of a script, template or file stands in a git source. */
export interface ContentSource {
  gitSourceId: string;
  /** From the top of the repository. */
  path: string;
  /** A branch, a tag or a commit; null: the branch of the source. */
  ref: string | null;
}

/** Which file of which commit a run took, and what tells its content from others. */
export interface FrozenSource extends ContentSource {
  sourceName: string;
  commit: string;
  sha256: string;
}

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
  /** Null for a template, and for a script that its first line names the program of. */
  interpreter: string | null;
  /** First line of the content, of at most 4,096 characters. */
  first_line: string;
  /** Bytes of the content in UTF-8. */
  bytes: number;
  /** Null: the content stands in the record itself. */
  source: ContentSource | null;
}

export interface LibraryRevisionRow {
  id: string;
  number: number;
  interpreter: string | null;
  bytes: number;
  source: ContentSource | null;
  /** Why it was saved; null: nothing was said. */
  message: string | null;
  created_by: string;
  created_by_name: string;
  created_at: Date;
}

export type WithContent<T> = T & { content: string };

/** What a record is saved as. */
export interface LibrarySave extends LibraryContent {
  name: string;
  description: string;
  /** Of the revision that this makes, if it makes one; null: nothing is said. */
  message: string | null;
}

/** What a revision holds. */
export interface LibraryContent {
  /** Empty where there is a source. */
  content: string;
  interpreter: string | null;
  source: ContentSource | null;
}
