import { ApiProperty } from '@nestjs/swagger';

/** Part of what is shown of a revision. */
export class RevisionMessageView {
  /** Why it was saved; null: nothing was said. */
  @ApiProperty({ type: String, nullable: true })
  message: string | null;
}

/** The lines of a difference. */
export class TextDiffView {
  /**
   * Unified diff; null: the two differ so much that comparing them takes too long.
   * @example "--- revision 1\n+++ revision 2\n@@ -1,1 +1,1 @@\n-echo one\n+echo two\n"
   */
  @ApiProperty({ type: String, nullable: true })
  text: string | null;
  /** How many further lines there are: of a long difference the beginning is shown. */
  moreLines: number;
}
