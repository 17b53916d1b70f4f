import { ApiProperty } from '@nestjs/swagger';
import type { ProblemItem } from '../../../common/errors/problem-item.js';
import { IsNullableField, IsText } from '../../../common/http/fields.js';
import type { Faults } from './faults.js';
import { BECOME_SCHEMA, IsBecome } from './field-decorators.js';
import { atField, type CheckContext, findTemplateProblems } from './texts.js';

const USER_NAME_PATTERN = /^[a-z_][a-z0-9_-]{0,31}$/;

/** Fields of each type that starts a command on hosts. */
export interface StartFields {
  /** User for sudo; null = the login user. */
  become: string | null;
  /** Command template. If it succeeds, the step is skipped. */
  unless: string | null;
}

export class StartFieldsRequest {
  /** User that runs the command, by sudo; `true` = root. */
  @ApiProperty({ ...BECOME_SCHEMA, required: false })
  @IsNullableField()
  @IsBecome()
  become?: boolean | string | null;

  /** If this command succeeds, the step is skipped. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @IsText(65_536)
  unless?: string | null;
}

export class StartFieldsView {
  /** Types that start a command, like `unless`. */
  @ApiProperty({ type: String, nullable: true, required: false })
  become?: string | null;
  @ApiProperty({ type: String, nullable: true, required: false })
  unless?: string | null;
}

export const START = { request: StartFieldsRequest, view: StartFieldsView } as const;

export function* findUnlessProblems(unless: string | null, known: CheckContext): Faults {
  const advice = 'Write a command that decides whether to skip the step, or omit the field.';
  if (unless !== null) yield* findTemplateProblems(unless, atField(known, 'unless'), advice);
}

export function findBecomeProblems(user: string | null, path: string): ProblemItem[] {
  if (user === null || USER_NAME_PATTERN.test(user)) return [];
  const message =
    'Send true for root, or the name of a user: 1 to 32 lower-case letters, digits, - or _, starting with a letter or _.';
  return [{ path, code: 'invalid_user', message }];
}
