import { ApiProperty } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import { FreeText, Maybe, MaybeNull, Nested, QueryYesNo, RecordId, YesNo } from '../../common/http/fields.js';

/** Days: a hundred years. */
const MOST_DAYS = 36_500;
const MOST_RUNS = 1_000_000_000;
/** Bytes: a mebibyte and a pebibyte. */
const LEAST_BYTES = 1_048_576;
const MOST_BYTES = 1_125_899_906_842_624;

const advice = (name: string, min: number, max: number) => ({
  message: `${name} must be null, for no such limit, or a whole number from ${min} to ${max}`,
});
const DAYS = advice('keepDays', 1, MOST_DAYS);
const RUNS = advice('keepRuns', 1, MOST_RUNS);
const BYTES = advice('keepBytes', LEAST_BYTES, MOST_BYTES);

/** For how long runs are kept; what is absent or null is no limit, and what any limit says is too old goes. */
export class RetentionLimits {
  /**
   * Days since the start of a run.
   * @example 365
   */
  @ApiProperty({ type: 'integer', nullable: true, required: false, minimum: 1, maximum: MOST_DAYS })
  @MaybeNull()
  @IsInt(DAYS)
  @Min(1, DAYS)
  @Max(MOST_DAYS, DAYS)
  keepDays?: number | null;

  /**
   * The newest so many runs of each environment.
   * @example 10000
   */
  @ApiProperty({ type: 'integer', nullable: true, required: false, minimum: 1, maximum: MOST_RUNS })
  @MaybeNull()
  @IsInt(RUNS)
  @Min(1, RUNS)
  @Max(MOST_RUNS, RUNS)
  keepRuns?: number | null;

  /**
   * The newest runs of each environment whose output has so many bytes together.
   * @example 107374182400
   */
  @ApiProperty({ type: 'integer', nullable: true, required: false, minimum: LEAST_BYTES, maximum: MOST_BYTES })
  @MaybeNull()
  @IsInt(BYTES)
  @Min(LEAST_BYTES, BYTES)
  @Max(MOST_BYTES, BYTES)
  keepBytes?: number | null;
}

export class PutRetentionRuleRequest extends RetentionLimits {
  /** Says that more than half of the runs or bytes it is about may go; needed only then. */
  @YesNo()
  confirm?: boolean;

  /**
   * Why; it stands in the audit trail.
   * @example "Agreed with the data protection officer"
   */
  @Maybe()
  @FreeText(500)
  reason?: string;
}

export class PreviewRetentionRequest {
  /** Absent: all environments that have no rule of their own, and with no `rule` all of them. */
  @Maybe()
  @RecordId()
  environmentId?: string;

  /** The rule to try; absent: what is in force. */
  @Maybe()
  @Nested(() => RetentionLimits)
  rule?: RetentionLimits;
}

export class DeleteRetentionRuleQuery {
  /** Says that more than half of the runs or bytes of the environment may go; needed only then. */
  @QueryYesNo()
  confirm?: boolean;
}

export class PinExecutionRequest {
  /**
   * Why it is to be kept.
   * @example "The migration that the audit asks for"
   */
  @Maybe()
  @FreeText(500)
  note?: string;

  /** A legal hold: two admins have to lift it. Admins who are people may send it. */
  @YesNo()
  legalHold?: boolean;
}
