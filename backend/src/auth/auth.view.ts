import { ApiProperty } from '@nestjs/swagger';
import { type Principal, ROLES, type Role } from '../common/access/principal.js';
import { TokenScopeView } from './tokens/token-scope.view.js';
import { GRANT_LEVELS, type GrantLevel } from '../environments/grant-policy.js';

export class TenantRef {
  id: string;
  /**
   * Name of the tenant, unique in the installation.
   * @example "demo"
   */
  name: string;
}

/** Token of the request. */
export class MeTokenView {
  id: string;
  /**
   * Name that its owner chose. Unique among the active tokens of the member.
   * @example "deploy pipeline"
   */
  name: string;
  /** Visible first characters of the token. */
  prefix: string;
  /** Null: no expiry. */
  expiresAt: string | null;
  /** Restrictions of the token; null: unrestricted. */
  @ApiProperty({ type: TokenScopeView, nullable: true })
  scope: TokenScopeView | null;
}

/** Session of the request. */
export class MeSessionView {
  /** Time at which the session ends, in UTC. You must then sign in again. */
  expiresAt: string;
}

/** Grant of the caller in one environment. */
export class MeGrantView {
  environmentId: string;
  /** @example "staging" */
  environmentName: string;
  /** `view`: may see the environment. `run`: may also run there. `approve`: may also approve runs. */
  @ApiProperty({ enum: GRANT_LEVELS })
  level: GrantLevel;
}

/** Current user, tenant, role and permissions. */
export class MeView {
  id: string;
  /** @example "admin@demo.runward.local" */
  email: string;
  /** Full name of the member; several members can have the same. */
  name: string;
  @ApiProperty({ enum: ROLES, example: 'operator' })
  role: Role;
  /** Whether the caller is a program: a service account, or a client with an exchanged identity token. */
  machine: boolean;
  /** Tenant to which the member belongs and all records of this API. */
  tenant: TenantRef;
  /** Kind of credential. */
  @ApiProperty({ enum: ['session', 'token'] })
  via: 'session' | 'token';
  /** Token of the request; null: the request uses a session. */
  @ApiProperty({ type: MeTokenView, nullable: true })
  token: MeTokenView | null;
  /** Session of the request; null: the request uses a token. */
  @ApiProperty({ type: MeSessionView, nullable: true })
  session: MeSessionView | null;
  /** First 200 grants of the caller, sorted by environment name. Open environments and admins need no grants. */
  @ApiProperty({ type: [MeGrantView] })
  grants: MeGrantView[];
  /** True: the caller has more than 200 grants. `currentUserGrant` of each environment has the caller's grant there. */
  grantsTruncated: boolean;
  /** Whether the installation is a demo (`RUNWARD_DEMO`). The dashboard then offers a guided tour. */
  demo: boolean;
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
  // Schedules never request this view, so a third kind of caller is impossible.
  via: principal.via === 'token' ? 'token' : 'session',
});
