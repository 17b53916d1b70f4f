import { ApiProperty } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import {
  MultilineText,
  IsOptionalField,
  IsNullableField,
  NestedObject,
  QueryBoolean,
  RecordId,
  OptionalBoolean,
} from '../../common/http/fields.js';

/** A hundred years, in days. */
const MAX_KEEP_DAYS = 36_500;
const MAX_KEEP_RUNS = 1_000_000_000;
/** A mebibyte and a pebibyte, in bytes. */
const MIN_KEEP_BYTES = 1_048_576;
const MAX_KEEP_BYTES = 1_125_899_906_842_624;

const createRangeAdvice = (name: string, min: number, max: number) => ({
  message: `${name} must be null (no limit) or a whole number from ${min} to ${max}`,
});
const DAYS_ADVICE = createRangeAdvice('keepDays', 1, MAX_KEEP_DAYS);
const RUNS_ADVICE = createRangeAdvice('keepRuns', 1, MAX_KEEP_RUNS);
const BYTES_ADVICE = createRangeAdvice('keepBytes', MIN_KEEP_BYTES, MAX_KEEP_BYTES);

/** Limits of a retention rule. Null or absent = no limit. A run that exceeds any limit is deleted. */
export class RetentionLimits {
  /**
   * Maximum age of a run, in days since its start.
   * @example 365
   */
  @ApiProperty({ type: 'integer', nullable: true, required: false, minimum: 1, maximum: MAX_KEEP_DAYS })
  @IsNullableField()
  @IsInt(DAYS_ADVICE)
  @Min(1, DAYS_ADVICE)
  @Max(MAX_KEEP_DAYS, DAYS_ADVICE)
  keepDays?: number | null;

  /**
   * Number of newest runs to keep in each environment.
   * @example 10000
   */
  @ApiProperty({ type: 'integer', nullable: true, required: false, minimum: 1, maximum: MAX_KEEP_RUNS })
  @IsNullableField()
  @IsInt(RUNS_ADVICE)
  @Min(1, RUNS_ADVICE)
  @Max(MAX_KEEP_RUNS, RUNS_ADVICE)
  keepRuns?: number | null;

  /**
   * Total output of the newest runs to keep in each environment, in bytes.
   * @example 107374182400
   */
  @ApiProperty({ type: 'integer', nullable: true, required: false, minimum: MIN_KEEP_BYTES, maximum: MAX_KEEP_BYTES })
  @IsNullableField()
  @IsInt(BYTES_ADVICE)
  @Min(MIN_KEEP_BYTES, BYTES_ADVICE)
  @Max(MAX_KEEP_BYTES, BYTES_ADVICE)
  keepBytes?: number | null;
}

export class PutRetentionRuleRequest extends RetentionLimits {
  /** Confirms that more than half of the affected runs or bytes may be deleted. Needed only in that case. */
  @OptionalBoolean()
  confirm?: boolean;

  /**
   * Reason, recorded in the audit trail.
   * @example "Agreed with the data protection officer"
   */
  @IsOptionalField()
  @MultilineText(500)
  reason?: string;
}

export class PreviewRetentionRequest {
  /**
   * Environment to preview; absent = all environments without their own rule, or all environments when `rule` is
   * absent too.
   */
  @IsOptionalField()
  @RecordId()
  environmentId?: string;

  /** Rule to try; absent = the current rules. */
  @IsOptionalField()
  @NestedObject(() => RetentionLimits)
  rule?: RetentionLimits;
}

export class DeleteRetentionRuleQuery {
  /** Confirms that more than half of the runs or bytes of the environment may be deleted. Needed only in that case. */
  @QueryBoolean()
  confirm?: boolean;
}

export class PinExecutionRequest {
  /**
   * Reason to keep the run.
   * @example "The migration that the audit asks for"
   */
  @IsOptionalField()
  @MultilineText(500)
  note?: string;

  /** Legal hold: two admins must lift it. Only admins who are people can set it. */
  @OptionalBoolean()
  legalHold?: boolean;
}
