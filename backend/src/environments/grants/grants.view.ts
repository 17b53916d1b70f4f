import { ApiProperty } from '@nestjs/swagger';
import { MEMBER_KINDS, type MemberKind } from '../../tenancy/directory/member-kind.js';
import { GRANT_LEVELS, type GrantLevel } from '../grant-policy.js';
import { UserReference } from '../../common/http/user-reference.view.js';

/** Member who has the grant. */
export class GrantedUserView extends UserReference {
  email: string;
  /** `service_account`: a member for machines. */
  @ApiProperty({ enum: MEMBER_KINDS })
  kind: MemberKind;
}

export class GrantView {
  environmentId: string;
  /** Member who has the grant. */
  user: GrantedUserView;
  @ApiProperty({ enum: GRANT_LEVELS })
  level: GrantLevel;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export class GrantListView {
  items: GrantView[];
  nextCursor: string | null;
}

/** Row of `environment_grants`, joined with its member. */
export interface GrantRow {
  /** ID of the member, by which pages are ordered. */
  id: string;
  environment_id: string;
  name: string;
  email: string;
  kind: MemberKind;
  level: GrantLevel;
  created_at: Date;
  updated_at: Date;
  version: number;
}

export const toGrantView = (row: GrantRow): GrantView => ({
  environmentId: row.environment_id,
  user: { id: row.id, name: row.name, email: row.email, kind: row.kind },
  level: row.level,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  version: row.version,
});
