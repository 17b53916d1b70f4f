import { ApiProperty } from '@nestjs/swagger';
import { IsString, Matches } from 'class-validator';
import { RevisionMessage } from '../../common/revisions/revision-message.js';
import { Maybe, MaybeOneOf, QueryInt, RecordId, YesNo } from '../../common/http/fields.js';

export const PLAN_FORMATS = ['plan', 'rundeck'] as const;
export type PlanFormat = (typeof PLAN_FORMATS)[number];

const EXAMPLE = 'name: Restart web\nsteps:\n  - key: restart\n    command: systemctl restart web\n';

export class ImportPlansRequest {
  /** The text: a plan in YAML or JSON, or job definitions of Rundeck in YAML or JSON. */
  @ApiProperty({ example: EXAMPLE })
  @IsString({ message: 'content must be a text' })
  @Matches(/\S/, { message: 'content must not be blank' })
  content: string;

  /** `plan` unless given. Jobs of Rundeck become plans as far as they can; what can't is listed. */
  @MaybeOneOf(PLAN_FORMATS)
  format?: PlanFormat;

  /** Nothing is changed: the answer tells what would be. */
  @YesNo()
  preview?: boolean;

  /** The plan that the text is to become, whatever name it has there; absent: the one that the text names, or a new one. */
  @Maybe()
  @RecordId()
  planId?: string;

  /** Environment of plans whose text names none. */
  @Maybe()
  @RecordId()
  environmentId?: string;

  /** Collection of plans whose text names none. */
  @Maybe()
  @RecordId()
  collectionId?: string;

  /** Why: shown with the revisions that this makes. */
  @RevisionMessage()
  message?: string | null;
}

export class CheckPlanRequest {
  /** A plan in YAML or JSON. */
  @ApiProperty({ example: EXAMPLE })
  @IsString({ message: 'content must be a text' })
  content: string;

  /** A text of the plan from before, whose comments and way of writing the answer's `yaml` keeps. */
  @Maybe()
  @IsString({ message: 'base must be a text' })
  base?: string;
}

export class ExportPlanQuery {
  /** Number of a revision; the latest unless given. */
  @QueryInt(1, 999_999_999)
  revision?: number;
}
