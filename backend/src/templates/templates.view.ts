import { ApiProperty } from '@nestjs/swagger';
import { ContentSourceView } from '../library/content-source.dto.js';
import { LIBRARY_PARTS, type LibraryPart } from '../library/library-diff.js';
import type { LibraryViews } from '../library/library.service.js';
import { toLibraryFields, toLibraryRevisionFields } from '../library/library.view.js';
import { RevisionMessageView, TextDiffView } from '../revisions/revisions.view.js';
import { UserReference } from '../common/http/user-reference.view.js';

export class TemplateSummaryView {
  id: string;
  /** @example "nginx-site" */
  name: string;
  description: string;
  /** Number of the latest revision, from 1. */
  revision: number;
  /** Size of the content in bytes; 0 for content in a git source. */
  bytes: number;
  /** Location in a git source; null = the template itself has the content. */
  @ApiProperty({ type: ContentSourceView, nullable: true })
  source: ContentSourceView | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export class TemplateView extends TemplateSummaryView {
  /** Empty for content in a git source. */
  content: string;
}

export class TemplateListView {
  items: TemplateSummaryView[];
  nextCursor: string | null;
}

export class TemplateRevisionSummaryView extends RevisionMessageView {
  id: string;
  /** Number of the revision of the template, from 1. */
  number: number;
  /** Size of the content, in bytes; 0 = content in a git source. */
  bytes: number;
  /** Location in a git source; null = the revision itself has the content. */
  @ApiProperty({ type: ContentSourceView, nullable: true })
  source: ContentSourceView | null;
  createdBy: UserReference;
  createdAt: string;
}

export class TemplateRevisionView extends TemplateRevisionSummaryView {
  /** Text of the revision; empty = content in a git source. */
  content: string;
}

/** Differences between two revisions of a template. */
export class TemplateRevisionDiffView extends TextDiffView {
  /** Revision that is compared with; null = none, everything is new. */
  @ApiProperty({ type: TemplateRevisionSummaryView, nullable: true })
  from: TemplateRevisionSummaryView | null;
  /** Revision of the path of the request. */
  to: TemplateRevisionSummaryView;
  /** Parts that differ. The line diff covers the content; it is absent for content in a git source. */
  @ApiProperty({ enum: LIBRARY_PARTS, isArray: true })
  changes: LibraryPart[];
}

export class TemplateRevisionListView {
  items: TemplateRevisionSummaryView[];
  nextCursor: string | null;
}

/** Name in a template that has no value. */
export class UnknownNameView {
  /**
   * Name in `{{ }}` that no variable has.
   * @example "port"
   */
  name: string;
  /** Line of its first use, from 1. */
  line: number;
  column: number;
}

/** Rendered file, with secrets masked. */
export class RenderedTemplateView {
  /** Rendered text, with masks instead of secrets. */
  content: string;
  /** Size of the content with masks, in bytes. */
  bytes: number;
  /** Names without a value when they are marked, at most 50. */
  unknown: UnknownNameView[];
}

export const toRenderedTemplateView = (content: string, unknown: readonly UnknownNameView[]): RenderedTemplateView => ({
  content,
  bytes: Buffer.byteLength(content),
  unknown: unknown.map(({ name, line, column }) => ({ name, line, column })),
});

export const TEMPLATE_VIEWS: LibraryViews<TemplateSummaryView, TemplateView, TemplateRevisionSummaryView> = {
  toSummary: toLibraryFields,
  toView: (row) => ({ ...toLibraryFields(row), content: row.content }),
  toRevision: toLibraryRevisionFields,
  toAudited: toLibraryFields,
};
