import { ApiProperty } from '@nestjs/swagger';
import { type Principal, ROLES, type Role } from '../common/access/principal.js';
import { TokenScopeView } from './tokens/token-scope.view.js';
import { GRANT_LEVELS, type GrantLevel } from '../common/access/grant-level.js';

export class TenantRef {
  id: string;
  /** @example "demo" */
  name: string;
}

/** The token that the request came with. */
export class MeTokenView {
  id: string;
  /** @example "deploy pipeline" */
  name: string;
  /** The visible beginning of the token's value. */
  prefix: string;
  /** Null: it does not end by itself. */
  expiresAt: string | null;
  /** What it may do less than its member; null: nothing. */
  @ApiProperty({ type: TokenScopeView, nullable: true })
  scope: TokenScopeView | null;
}

/** The session that the request came with. */
export class MeSessionView {
  expiresAt: string;
}

/** What a grant lets the caller do in one environment. */
export class MeGrantView {
  environmentId: string;
  /** @example "staging" */
  environmentName: string;
  @ApiProperty({ enum: GRANT_LEVELS })
  level: GrantLevel;
}

/** Who the caller is and may do, as of this request. */
export class MeView {
  id: string;
  /** @example "admin@demo.runward.local" */
  email: string;
  name: string;
  @ApiProperty({ enum: ROLES, example: 'operator' })
  role: Role;
  /** A program that the caller is: a service account, or whoever exchanged a token of an identity provider. */
  machine: boolean;
  tenant: TenantRef;
  /** How the caller is signed in. */
  @ApiProperty({ enum: ['session', 'token'] })
  via: 'session' | 'token';
  /** Null but for a call with a token. */
  @ApiProperty({ type: MeTokenView, nullable: true })
  token: MeTokenView | null;
  /** Null but for a call with a session. */
  @ApiProperty({ type: MeSessionView, nullable: true })
  session: MeSessionView | null;
  /** The caller's own grants, by name of the environment: the first 200. Open environments and admins need none. */
  @ApiProperty({ type: [MeGrantView] })
  grants: MeGrantView[];
  /** There are more grants than are shown; each environment tells the caller's own as `currentUserGrant`. */
  grantsTruncated: boolean;
}

export const toMeView = (
  principal: Principal,
): Pick<MeView, 'id' | 'email' | 'name' | 'role' | 'machine' | 'tenant' | 'via'> => ({
  id: principal.userId,
  email: principal.email,
  name: principal.name,
  role: principal.role,
  machine: principal.limits?.machine === true,
  tenant: { id: principal.tenantId, name: principal.tenantName },
  // Schedules ask nothing.
  via: principal.via === 'token' ? 'token' : 'session',
});
