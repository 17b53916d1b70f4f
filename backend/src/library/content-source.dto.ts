import { ApiProperty } from '@nestjs/swagger';
import { IsNullableField, RecordId, RequiredTextLine } from '../common/http/fields.js';

/** Location of the content in a git source. */
export class ContentSourceRequest {
  @RecordId()
  gitSourceId: string;

  /**
   * Path of the file from the root of the repository.
   * @example "deploy/restart.sh"
   */
  @RequiredTextLine(1024)
  path: string;

  /** Branch, tag or full commit ID; absent or null = the branch of the source. */
  @ApiProperty({ type: String, nullable: true, required: false, example: 'main' })
  @IsNullableField()
  @RequiredTextLine(250)
  ref?: string | null;
}

export class ContentSourceView {
  gitSourceId: string;
  path: string;
  /** Branch, tag or commit ID; null = the branch of the source. */
  @ApiProperty({ type: String, nullable: true })
  ref: string | null;
}
