import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '../common/access/principal.js';
import { MEMBER_KINDS, type MemberKind } from './directory/member-kind.js';
import type { User } from './directory/user.entity.js';

export class MemberView {
  id: string;
  /** @example "ana@example.com" */
  email: string;
  /** Full name; several members can have the same. */
  name: string;
  /** A service account is a program: it cannot sign in, and its email address receives no mail. */
  @ApiProperty({ enum: MEMBER_KINDS })
  kind: MemberKind;
  @ApiProperty({ enum: ROLES })
  role: Role;
  /** True = the member cannot sign in, and their tokens are refused. */
  disabled: boolean;
  disabledAt: string | null;
  createdAt: string;
  version: number;
}

/** New member. Without a password, the link is shown only in this answer. */
export class CreatedMemberView extends MemberView {
  /**
   * Path of the page on which the member sets a password; valid once, for 72 hours. Absent with a password, and in the
   * answer to a repeated `Idempotency-Key`.
   */
  setPasswordPath?: string;
}

export class MemberListView {
  @ApiProperty({ type: [MemberView] })
  items: MemberView[];
  nextCursor: string | null;
}

/** A one-time link to set a password. */
export class PasswordLinkView {
  /** Path of the page on which the member sets a password; valid once. */
  setPasswordPath: string;
  /** Time from which the link is invalid, in UTC. */
  expiresAt: string;
}

export const toMemberView = (user: User): MemberView => ({
  id: user.id,
  email: user.email,
  name: user.name,
  kind: user.kind,
  role: user.role,
  disabled: user.disabledAt !== null,
  disabledAt: user.disabledAt?.toISOString() ?? null,
  createdAt: user.createdAt.toISOString(),
  version: user.version,
});
