import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsEmail, IsIn, MinLength } from 'class-validator';
import { ROLES, type Role } from '../common/access/principal.js';
import { Maybe, QueryText, Text } from '../common/http/fields.js';
import { SortBy } from '../common/http/paging/filters.js';
import { PageQuery } from '../common/http/paging/page.dto.js';

/** Shortest password that is accepted, in characters (NIST SP 800-63B asks for 8 at least). */
export const SHORTEST_PASSWORD = 12;

const EMAIL_ADVICE = { message: 'email must be an e-mail address such as ana@example.com' };
const ROLE_ADVICE = { message: `role must be one of ${ROLES.join(', ')}` };
const PASSWORD_ADVICE = { message: `password must have at least ${SHORTEST_PASSWORD} characters` };

export class CreateMemberRequest {
  /** @example "ana@example.com" */
  @Text(254)
  @IsEmail({}, EMAIL_ADVICE)
  email: string;

  /** @example "Ana" */
  @Text(100)
  name: string;

  @ApiProperty({ enum: ROLES, example: 'operator' })
  @IsIn(ROLES, ROLE_ADVICE)
  role: Role;

  /** Absent: the answer holds a link with which the member sets one. */
  @Maybe()
  @Text(1000)
  @MinLength(SHORTEST_PASSWORD, PASSWORD_ADVICE)
  password?: string;
}

export class UpdateMemberRequest {
  /** @example "Ana" */
  @Maybe()
  @Text(100)
  name?: string;

  @ApiProperty({ enum: ROLES, required: false })
  @Maybe()
  @IsIn(ROLES, ROLE_ADVICE)
  role?: Role;

  /** A disabled member can't sign in, and their tokens and sessions are refused at once. */
  @Maybe()
  @IsBoolean({ message: 'disabled must be true or false' })
  disabled?: boolean;
}

export class ListMembersQuery extends PageQuery {
  @SortBy(['name', 'email', 'createdAt'])
  sort?: string;

  /** Part of the name or e-mail address. */
  @QueryText()
  q?: string;
}
