import { ApiProperty } from '@nestjs/swagger';
import { IsString, Matches } from 'class-validator';
import { RevisionMessage } from '../../revisions/revision-message.js';
import { IsOptionalField, OptionalOneOf, QueryInteger, RecordId, OptionalBoolean } from '../../common/http/fields.js';
import { MAX_PLAN_TEXT_LENGTH } from '../code/bounds.js';
import { PLAN_FORMAT_NAMES, type PlanFormatName } from '../formats/plan-formats.js';

const EXAMPLE = 'name: Restart web\nsteps:\n  - key: restart\n    command: systemctl restart web\n';

export class ImportPlansRequest {
  /** A plan or Rundeck job definitions, in YAML or JSON. */
  @ApiProperty({ example: EXAMPLE, maxLength: MAX_PLAN_TEXT_LENGTH })
  @IsString({ message: 'content must be a text' })
  @Matches(/\S/, { message: 'content must not be blank' })
  content: string;

  /** Default `plan`. Rundeck jobs are converted to plans as far as possible; the rest is listed. */
  @OptionalOneOf(PLAN_FORMAT_NAMES)
  format?: PlanFormatName;

  /** Changes nothing: the answer contains what an import would do. */
  @OptionalBoolean()
  preview?: boolean;

  /** Plan to replace, regardless of the name in the text; absent = the plan with that name, or a new one. */
  @IsOptionalField()
  @RecordId()
  planId?: string;

  /** Environment for plans whose text has none. */
  @IsOptionalField()
  @RecordId()
  environmentId?: string;

  /** Collection for plans whose text has none. */
  @IsOptionalField()
  @RecordId()
  collectionId?: string;

  /** Reason, shown with the new revisions. */
  @RevisionMessage()
  message?: string | null;
}

export class CheckPlanRequest {
  /** A plan in YAML or JSON. */
  @ApiProperty({ example: EXAMPLE, maxLength: MAX_PLAN_TEXT_LENGTH })
  @IsString({ message: 'content must be a text' })
  content: string;

  /** Earlier text of the plan. `yaml` in the answer keeps its comments and formatting. */
  @IsOptionalField()
  @IsString({ message: 'base must be a text' })
  @ApiProperty({ maxLength: MAX_PLAN_TEXT_LENGTH, required: false })
  base?: string;
}

export class ExportPlanQuery {
  /** Number of the revision; default: the latest. */
  @QueryInteger(1, 999_999_999)
  revision?: number;
}
