import { ApiProperty } from '@nestjs/swagger';
import { type Principal, ROLES, type Role } from '../common/access/principal.js';

export class TenantRef {
  id: string;
  /** @example "demo" */
  name: string;
}

/** Who the caller is, as of this request. */
export class MeView {
  id: string;
  /** @example "admin@demo.runward.local" */
  email: string;
  name: string;
  @ApiProperty({ enum: ROLES, example: 'operator' })
  role: Role;
  tenant: TenantRef;
  /** How the caller is signed in. */
  @ApiProperty({ enum: ['session', 'token'] })
  via: 'session' | 'token';
}

export const toMeView = (principal: Principal): MeView => ({
  id: principal.userId,
  email: principal.email,
  name: principal.name,
  role: principal.role,
  tenant: { id: principal.tenantId, name: principal.tenantName },
  via: principal.via,
});
