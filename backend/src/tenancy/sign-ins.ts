import type { EntityManager } from 'typeorm';

/** What is kept of how members sign in. */
export interface SignIns {
  /** Ends all sessions of a member, but for one. */
  endSessions(tx: EntityManager, tenantId: string, userId: string, except: string | null): Promise<void>;
  /** Forgets the failed sign-ins of a member, wherever they came from and whichever way the account was named. */
  forgetFailures(tx: EntityManager, member: { userId: string; email: string; tenant: string }): Promise<void>;
  /** The first rules by which programs elsewhere get tokens of a member. */
  trustRules(tx: EntityManager, tenantId: string, userId: string): Promise<{ id: string; name: string }[]>;
  /**
   * SQL query for the ids of a member's sessions and tokens.
   * @param tenant how the statement writes the tenant's id
   * @param user how it writes the member's id
   */
  credentialIds(tenant: string, user: string): string;
}

/** Injection token of the `SignIns`; the room `auth` answers it. */
export const SIGN_INS = Symbol('sign-ins');
