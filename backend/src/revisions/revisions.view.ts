import { ApiProperty } from '@nestjs/swagger';

/** Message of a revision. */
export class RevisionMessageView {
  /** Reason for the change; null = none. */
  @ApiProperty({ type: String, nullable: true })
  message: string | null;
}

/** Line diff of two texts. */
export class TextDiffView {
  /**
   * Unified diff; null = the texts differ too much to compare in time.
   * @example "--- revision 1\n+++ revision 2\n@@ -1,1 +1,1
   * @
   * @\n-echo one\n+echo two\n"
   */
  @ApiProperty({ type: String, nullable: true })
  text: string | null;
  /** Number of further lines that a long diff omits at its end. */
  moreLines: number;
}
