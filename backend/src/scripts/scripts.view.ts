import { ApiProperty } from '@nestjs/swagger';
import { ContentSourceView } from '../library/content-source.dto.js';
import { LIBRARY_PARTS, type LibraryPart } from '../library/library-diff.js';
import type { LibraryRow, WithContent } from '../library/library-kind.js';
import type { LibraryViews } from '../library/library.service.js';
import { toLibraryFields, toLibraryRevisionFields } from '../library/library.view.js';
import { RevisionMessageView, TextDiffView } from '../revisions/revisions.view.js';
import { PROGRAM_SOURCES, type ScriptProgram, scriptProgram } from './script-program.js';
import { scriptWarnings } from './script-warnings.js';
import { Reason } from '../common/http/reason.view.js';
import { UserReference } from '../common/http/user-reference.view.js';

/** Program that runs a script. */
export class ScriptProgramView {
  /**
   * Program and its arguments.
   * @example ["/bin/bash", "-e"]
   */
  words: string[];
  /** `default`: neither the interpreter nor the first line specifies a program. */
  @ApiProperty({ enum: PROGRAM_SOURCES })
  source: ScriptProgram['source'];
}

/** A likely mistake in a script. The script can still be saved and run. */
export class ScriptWarningView {
  reason: Reason;
}

export class ScriptSummaryView {
  id: string;
  /** @example "rotate-logs" */
  name: string;
  description: string;
  /** Overrides the first line of the script; null: the first line decides. */
  @ApiProperty({ type: String, nullable: true, example: null })
  interpreter: string | null;
  /** Null: the first line of the file in the git source decides when a run starts. */
  @ApiProperty({ type: ScriptProgramView, nullable: true })
  program: ScriptProgramView | null;
  /** Number of the latest revision, from 1. */
  revision: number;
  /** Size of the content in bytes; 0 for content in a git source. */
  bytes: number;
  /** Location in a git source; null = the script itself has the content. */
  @ApiProperty({ type: ContentSourceView, nullable: true })
  source: ContentSourceView | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export class ScriptView extends ScriptSummaryView {
  /** Empty for content in a git source. */
  content: string;
  /** Empty for content in a git source: use `GET /api/scripts/{id}/program`. */
  @ApiProperty({ type: [ScriptWarningView] })
  warnings: ScriptWarningView[];
}

/** Program that runs the latest content of a script, and likely mistakes in it. */
export class ScriptInspectionView {
  /** Program that runs the script, from its interpreter or its first line. */
  program: ScriptProgramView;
  /** Findings that can change how the script runs; the script can still be saved. */
  @ApiProperty({ type: [ScriptWarningView] })
  warnings: ScriptWarningView[];
  /** Commit of the content; null = the content is not from a git source. */
  @ApiProperty({ type: String, nullable: true })
  commit: string | null;
}

export class ScriptListView {
  items: ScriptSummaryView[];
  nextCursor: string | null;
}

export class ScriptRevisionSummaryView extends RevisionMessageView {
  id: string;
  /** Number of the revision of the script, from 1. */
  number: number;
  /** Null: the first line decides. */
  @ApiProperty({ type: String, nullable: true })
  interpreter: string | null;
  /** Size of the content, in bytes; 0 = content in a git source. */
  bytes: number;
  /** Location in a git source; null = the revision itself has the content. */
  @ApiProperty({ type: ContentSourceView, nullable: true })
  source: ContentSourceView | null;
  createdBy: UserReference;
  createdAt: string;
}

export class ScriptRevisionView extends ScriptRevisionSummaryView {
  /** Text of the revision; empty = content in a git source. */
  content: string;
}

/** Differences between two revisions of a script. */
export class ScriptRevisionDiffView extends TextDiffView {
  /** Revision that is compared with; null = none, everything is new. */
  @ApiProperty({ type: ScriptRevisionSummaryView, nullable: true })
  from: ScriptRevisionSummaryView | null;
  /** Revision of the path of the request. */
  to: ScriptRevisionSummaryView;
  /** Parts that differ. The line diff covers the content; it is absent for content in a git source. */
  @ApiProperty({ enum: LIBRARY_PARTS, isArray: true })
  changes: LibraryPart[];
}

export class ScriptRevisionListView {
  items: ScriptRevisionSummaryView[];
  nextCursor: string | null;
}

const programOf = ({ interpreter, source, first_line }: LibraryRow): ScriptProgram | null =>
  source !== null && interpreter === null ? null : scriptProgram(interpreter, first_line);

const warningsOf = (row: WithContent<LibraryRow>): ScriptWarningView[] => {
  const program = programOf(row);
  return program === null || row.source !== null ? [] : scriptWarnings(program.words, row.content);
};

const toSummary = (row: LibraryRow): ScriptSummaryView => ({
  ...toLibraryFields(row),
  interpreter: row.interpreter,
  program: programOf(row),
});

export const SCRIPT_VIEWS: LibraryViews<ScriptSummaryView, ScriptView, ScriptRevisionSummaryView> = {
  toSummary,
  toView: (row) => ({ ...toSummary(row), content: row.content, warnings: warningsOf(row) }),
  toRevision: (row) => ({ ...toLibraryRevisionFields(row), interpreter: row.interpreter }),
  toAudited: (row) => ({ ...toLibraryFields(row), interpreter: row.interpreter }),
};
