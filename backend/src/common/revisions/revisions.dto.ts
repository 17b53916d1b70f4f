import { IsInt, Max, Min } from 'class-validator';
import { QueryInt } from '../http/fields.js';
import { RevisionMessage } from './revision-message.js';

const HIGHEST = 999_999_999;
const OUT_OF_RANGE = `revision must be a whole number from 1 to ${HIGHEST}`;

/** What of a record is compared. */
export class DiffRevisionsQuery {
  /**
   * Number of the revision that stands for what was there before; the one before unless given.
   * @example 1
   */
  @QueryInt(1, HIGHEST)
  against?: number;
}

/** Which content a record is to have again. */
export class RestoreRequest {
  /**
   * Number of the revision.
   * @example 1
   */
  @IsInt({ message: OUT_OF_RANGE })
  @Min(1, { message: OUT_OF_RANGE })
  @Max(HIGHEST, { message: OUT_OF_RANGE })
  revision: number;

  /** Why: shown with the new revision; `Restored revision 1` unless given. */
  @RevisionMessage()
  message?: string | null;
}
