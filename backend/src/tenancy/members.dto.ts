import { IsEmail, MinLength } from 'class-validator';
import { ROLES, type Role } from '../common/access/principal.js';
import {
  IsText,
  IsOptionalField,
  OptionalOneOf,
  NotBlank,
  IsOneOf,
  QueryText,
  RequiredTextLine,
  OptionalBoolean,
} from '../common/http/fields.js';
import { SortBy } from '../common/http/paging/filters.js';
import { MEMBER_KINDS, type MemberKind } from './directory/member-kind.js';
import { PageQuery } from '../common/http/paging/page.dto.js';

/** Minimum length of a password, in characters (NIST SP 800-63B requires at least 8). */
export const MIN_PASSWORD_LENGTH = 12;

const EMAIL_ADVICE = { message: 'email must be an e-mail address such as ana@example.com' };
const PASSWORD_ADVICE = { message: `password must have at least ${MIN_PASSWORD_LENGTH} characters` };

export class CreateMemberRequest {
  /** @example "ana@example.com" */
  @RequiredTextLine(254)
  @IsEmail({}, EMAIL_ADVICE)
  email: string;

  /**
   * Full name; several members can have the same.
   * @example "Ana"
   */
  @RequiredTextLine(100)
  name: string;

  /** @example "operator" */
  @IsOneOf(ROLES)
  role: Role;

  /** Absent = the answer contains a link with which the member sets one. */
  @IsOptionalField()
  @IsText(1000)
  @NotBlank()
  @MinLength(MIN_PASSWORD_LENGTH, PASSWORD_ADVICE)
  password?: string;
}

export class UpdateMemberRequest {
  /**
   * Full name; several members can have the same.
   * @example "Ana"
   */
  @IsOptionalField()
  @RequiredTextLine(100)
  name?: string;

  @OptionalOneOf(ROLES)
  role?: Role;

  /** A disabled member cannot sign in. Their tokens and sessions become invalid at once. */
  @OptionalBoolean()
  disabled?: boolean;
}

export class ListMembersQuery extends PageQuery {
  @SortBy(['name', 'email', 'createdAt'])
  sort?: string;

  /** Only people or only service accounts; absent = both. */
  @OptionalOneOf(MEMBER_KINDS)
  kind?: MemberKind;

  /** Text that the name or email address contains. */
  @QueryText()
  q?: string;
}
