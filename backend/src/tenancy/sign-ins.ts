import type { EntityManager } from 'typeorm';

export interface SignIns {
  endSessions(tx: EntityManager, tenantId: string, userId: string, excludedId: string | null): Promise<void>;
  /** Deletes the failed sign-ins of a member, from all addresses and for all forms of the account name. */
  forgetFailures(tx: EntityManager, member: { userId: string; email: string; tenant: string }): Promise<void>;
  trustRules(tx: EntityManager, tenantId: string, userId: string): Promise<{ id: string; name: string }[]>;
  /**
   * Returns an SQL query for the IDs of a member's sessions and tokens.
   * @param tenant SQL expression of the tenant ID
   * @param user SQL expression of the member ID
   */
  credentialIds(tenant: string, user: string): string;
}

export const SIGN_INS = Symbol('sign-ins');
