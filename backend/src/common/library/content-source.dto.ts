import { ApiProperty } from '@nestjs/swagger';
import { MaybeNull, RecordId, Text } from '../http/fields.js';

/** Where the content stands in a git source. */
export class ContentSourceRequest {
  @RecordId()
  gitSourceId: string;

  /**
   * Path of a file from the top of the repository.
   * @example "deploy/restart.sh"
   */
  @Text(1024)
  path: string;

  /** A branch, a tag, or the whole id of a commit; absent or null: the branch of the source. */
  @ApiProperty({ type: String, nullable: true, required: false, example: 'main' })
  @MaybeNull()
  @Text(250)
  ref?: string | null;
}

export class ContentSourceView {
  gitSourceId: string;
  path: string;
  /** Null: the branch of the source. */
  @ApiProperty({ type: String, nullable: true })
  ref: string | null;
}
