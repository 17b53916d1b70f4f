import type { EntityManager } from 'typeorm';
import type { Sql } from '../../common/database/sql.js';

export interface SignIns {
  endSessions(tx: EntityManager, tenantId: string, userId: string, excludedId: string | null): Promise<void>;
  /** Deletes the failed sign-ins of a member, from all addresses and for all forms of the account name. */
  forgetFailures(tx: EntityManager, member: { userId: string; email: string; tenant: string }): Promise<void>;
  trustRules(tx: EntityManager, tenantId: string, userId: string): Promise<{ id: string; name: string }[]>;
  /**
   * Query for the sessions and tokens of all members. Columns: `tenant_id`, `user_id`, `id`.
   * @sql select null::uuid as tenant_id, null::uuid as user_id, null::uuid as id
   */
  credentials: Sql;
}

export const SIGN_INS = Symbol('sign-ins');
