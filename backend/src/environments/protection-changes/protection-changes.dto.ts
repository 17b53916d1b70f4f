import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, Max, Min } from 'class-validator';
import {
  MultilineText,
  IsOptionalField,
  OptionalOneOf,
  NestedObject,
  RequiredMultilineText,
  OptionalBoolean,
} from '../../common/http/fields.js';
import { SortBy } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import { MAX_DELAY_SECONDS, MAX_APPROVALS, MIN_DELAY_SECONDS } from '../protection/protection-bounds.js';
import { UNKNOWN_AUTHORS, type UnknownAuthors } from '../protection/unknown-authors.js';

const COUNT_ADVICE = { message: `requiredApprovals must be a whole number from 1 to ${MAX_APPROVALS}` };
const DELAY_ADVICE = {
  message: `protectionDelaySeconds must be a whole number of seconds from ${MIN_DELAY_SECONDS} to ${MAX_DELAY_SECONDS}`,
};

/** New values of settings that weaken the protection. */
export class ProtectionSettingsRequest {
  /** New value of `protected`; absent = unchanged. */
  @OptionalBoolean()
  protected?: boolean;

  /**
   * New value of `requiredApprovals`; absent = unchanged.
   * @example 1
   */
  @IsOptionalField()
  @IsInt(COUNT_ADVICE)
  @Min(1, COUNT_ADVICE)
  @Max(MAX_APPROVALS, COUNT_ADVICE)
  requiredApprovals?: number;

  /** New value of `allowSelfApproval`; absent = unchanged. */
  @OptionalBoolean()
  allowSelfApproval?: boolean;

  /** New value of `unknownAuthors`; absent = unchanged. */
  @OptionalOneOf(UNKNOWN_AUTHORS)
  unknownAuthors?: UnknownAuthors;

  /**
   * New value of `protectionDelaySeconds`, in seconds; absent = unchanged.
   * @example 86400
   */
  @IsOptionalField()
  @IsInt(DELAY_ADVICE)
  @Min(MIN_DELAY_SECONDS, DELAY_ADVICE)
  @Max(MAX_DELAY_SECONDS, DELAY_ADVICE)
  protectionDelaySeconds?: number;
}

export class CreateProtectionChangeRequest {
  /**
   * Reason of the change. It is shown to approvers and recorded in the audit trail.
   * @example "The environment moves to another network."
   */
  @RequiredMultilineText(2000)
  reason: string;

  /** New values of the weakened settings. */
  @NestedObject(() => ProtectionSettingsRequest)
  settings: ProtectionSettingsRequest;

  /**
   * Emergency: applies the change at once, without a second person. It is audited, reported, and shown for seven days.
   */
  @OptionalBoolean()
  override?: boolean;
}

export class DecideProtectionChangeRequest {
  /** Reason of the decision; absent = none. */
  @IsOptionalField()
  @MultilineText(2000)
  comment?: string;
}

export class ListOpenProtectionChangesQuery extends PageQuery {
  /** `me`: only changes that the caller can put into effect now (`currentUserCanAgree` is true). */
  @ApiProperty({ enum: ['me'], required: false })
  @IsOptionalField()
  @IsIn(['me'], { message: 'awaiting must be me' })
  awaiting?: 'me';

  @SortBy(['createdAt'])
  sort?: string;
}

export class ListProtectionChangesQuery extends PageQuery {
  @SortBy(['createdAt'])
  sort?: string;
}
