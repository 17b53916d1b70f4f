import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '../../common/access/principal.js';
import type { User } from '../directory/user.entity.js';

/** Member for machines: it has tokens and cannot sign in. */
export class ServiceAccountView {
  id: string;
  /** @example "deploy pipeline" */
  name: string;
  description: string;
  @ApiProperty({ enum: ROLES })
  role: Role;
  disabled: boolean;
  disabledAt: string | null;
  createdAt: string;
  version: number;
  /**
   * Number of runs that were started with its tokens and have not begun. They are cancelled when the service account is
   * disabled or removed. Absent in the answer to its creation.
   */
  waitingRuns?: number;
}

export class ServiceAccountListView {
  @ApiProperty({ type: [ServiceAccountView] })
  items: ServiceAccountView[];
  nextCursor: string | null;
}

export const toServiceAccountView = (user: User): ServiceAccountView => ({
  id: user.id,
  name: user.name,
  description: user.description,
  role: user.role,
  disabled: user.disabledAt !== null,
  disabledAt: user.disabledAt?.toISOString() ?? null,
  createdAt: user.createdAt.toISOString(),
  version: user.version,
});
