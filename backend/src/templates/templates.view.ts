import type { LibraryRevisionRow, LibraryRow, WithContent } from '../common/library/library-kind.js';

export class TemplateSummaryView {
  id: string;
  /** @example "nginx-site" */
  name: string;
  description: string;
  /** Number of the latest revision, from 1. */
  revision: number;
  /** Size of the content. */
  bytes: number;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export class TemplateView extends TemplateSummaryView {
  content: string;
}

export class TemplateListView {
  items: TemplateSummaryView[];
  nextCursor: string | null;
}

export class TemplateRevisionSummaryView {
  id: string;
  number: number;
  bytes: number;
  createdBy: string;
  createdByName: string;
  createdAt: string;
}

export class TemplateRevisionView extends TemplateRevisionSummaryView {
  content: string;
}

export class TemplateRevisionListView {
  items: TemplateRevisionSummaryView[];
  nextCursor: string | null;
}

/** A name of a template that nothing gives a value. */
export class UnknownNameView {
  /** @example "port" */
  name: string;
  /** Where it is used first, from 1. */
  line: number;
  column: number;
}

/** A template as the file would be, with secrets masked. */
export class RenderedTemplateView {
  content: string;
  /** Size of the content, masks included. */
  bytes: number;
  /** Names without a value, where they were to be marked, at most 50. */
  unknown: UnknownNameView[];
}

export const toRenderedTemplateView = (content: string, unknown: readonly UnknownNameView[]): RenderedTemplateView => ({
  content,
  bytes: Buffer.byteLength(content),
  unknown: unknown.map(({ name, line, column }) => ({ name, line, column })),
});

export const toTemplateSummaryView = (row: LibraryRow): TemplateSummaryView => ({
  id: row.id,
  name: row.name,
  description: row.description,
  revision: row.revision,
  bytes: row.bytes,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  version: row.version,
});

export const toTemplateView = (row: WithContent<LibraryRow>): TemplateView => ({
  ...toTemplateSummaryView(row),
  content: row.content,
});

export const toTemplateRevisionSummaryView = (row: LibraryRevisionRow): TemplateRevisionSummaryView => ({
  id: row.id,
  number: row.number,
  bytes: row.bytes,
  createdBy: row.created_by,
  createdByName: row.created_by_name,
  createdAt: row.created_at.toISOString(),
});

export const toTemplateRevisionView = (row: WithContent<LibraryRevisionRow>): TemplateRevisionView => ({
  ...toTemplateRevisionSummaryView(row),
  content: row.content,
});
