import { IsInt, Max, Min } from 'class-validator';
import { QueryInteger } from '../common/http/fields.js';
import { RevisionMessage } from './revision-message.js';

const MAX_REVISION = 999_999_999;
const REVISION_RANGE_MESSAGE = `revision must be a whole number from 1 to ${MAX_REVISION}`;

/** Revision to compare with. */
export class DiffRevisionsQuery {
  /**
   * Number of the revision to compare with; default: the previous one.
   * @example 1
   */
  @QueryInteger(1, MAX_REVISION)
  against?: number;
}

/** Revision to restore. */
export class RestoreRequest {
  /**
   * Number of the revision.
   * @example 1
   */
  @IsInt({ message: REVISION_RANGE_MESSAGE })
  @Min(1, { message: REVISION_RANGE_MESSAGE })
  @Max(MAX_REVISION, { message: REVISION_RANGE_MESSAGE })
  revision: number;

  /** Reason, shown with the new revision; default: `Restored revision 1`. */
  @RevisionMessage()
  message?: string | null;
}
