import { ApiProperty } from '@nestjs/swagger';
import { ContentSourceView } from '../common/library/content-source.dto.js';
import { LIBRARY_PARTS, type LibraryDiff, type LibraryPart } from '../common/library/library-diff.js';
import type { LibraryRevisionRow, LibraryRow, WithContent } from '../common/library/library-kind.js';
import { RevisionMessageView, TextDiffView } from '../common/revisions/revisions.view.js';
import { DEFAULT_INTERPRETER } from './script-kind.js';

export class ScriptSummaryView {
  id: string;
  /** @example "rotate-logs" */
  name: string;
  description: string;
  /** @example "/bin/sh" */
  interpreter: string;
  /** Number of the latest revision, from 1. */
  revision: number;
  /** Size of the content; 0 where it stands in a git source. */
  bytes: number;
  /** Where the content stands in a git source; null: `content` is it. */
  @ApiProperty({ type: ContentSourceView, nullable: true })
  source: ContentSourceView | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export class ScriptView extends ScriptSummaryView {
  /** Empty where it stands in a git source. */
  content: string;
}

export class ScriptListView {
  items: ScriptSummaryView[];
  nextCursor: string | null;
}

export class ScriptRevisionSummaryView extends RevisionMessageView {
  id: string;
  number: number;
  interpreter: string;
  bytes: number;
  /** Where the content stood in a git source; null: `content` is it. */
  @ApiProperty({ type: ContentSourceView, nullable: true })
  source: ContentSourceView | null;
  createdBy: string;
  createdByName: string;
  createdAt: string;
}

export class ScriptRevisionView extends ScriptRevisionSummaryView {
  content: string;
}

/** What differs between two revisions of a script. */
export class ScriptRevisionDiffView extends TextDiffView {
  /** What was there before; null: nothing was, and all of it is new. */
  @ApiProperty({ type: ScriptRevisionSummaryView, nullable: true })
  from: ScriptRevisionSummaryView | null;
  to: ScriptRevisionSummaryView;
  /** Which parts differ. The lines are those of the content; where that stands in a git source, there are none. */
  @ApiProperty({ enum: LIBRARY_PARTS, isArray: true })
  changes: LibraryPart[];
}

export class ScriptRevisionListView {
  items: ScriptRevisionSummaryView[];
  nextCursor: string | null;
}

export const toScriptSummaryView = (row: LibraryRow): ScriptSummaryView => ({
  id: row.id,
  name: row.name,
  description: row.description,
  interpreter: row.interpreter ?? DEFAULT_INTERPRETER,
  revision: row.revision,
  bytes: row.bytes,
  source: row.source,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  version: row.version,
});

export const toScriptView = (row: WithContent<LibraryRow>): ScriptView => ({
  ...toScriptSummaryView(row),
  content: row.content,
});

export const toScriptRevisionSummaryView = (row: LibraryRevisionRow): ScriptRevisionSummaryView => ({
  id: row.id,
  number: row.number,
  interpreter: row.interpreter ?? DEFAULT_INTERPRETER,
  bytes: row.bytes,
  source: row.source,
  message: row.message,
  createdBy: row.created_by,
  createdByName: row.created_by_name,
  createdAt: row.created_at.toISOString(),
});

export const toScriptRevisionView = (row: WithContent<LibraryRevisionRow>): ScriptRevisionView => ({
  ...toScriptRevisionSummaryView(row),
  content: row.content,
});

export const toScriptRevisionDiffView = ({
  from,
  to,
  changes,
  text,
  moreLines,
}: LibraryDiff): ScriptRevisionDiffView => ({
  from: from && toScriptRevisionSummaryView(from),
  to: toScriptRevisionSummaryView(to),
  changes,
  text,
  moreLines,
});
