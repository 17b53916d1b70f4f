import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { affected, sql } from '../../common/database/sql.js';

/**
 * Key for failed sign-ins at an account. It contains the typed text, so that unknown accounts are counted in the same
 * way.
 * @param tenant name of the tenant in the request; undefined: none
 */
export const hashAccountKey = (email: string, tenant: string | undefined): Buffer =>
  createHash('sha256')
    .update(`account\n${email.trim().toLowerCase()}\n${tenant?.trim().toLowerCase() ?? ''}`)
    .digest();

export const hashMemberKey = (userId: string): Buffer => createHash('sha256').update(`member\n${userId}`).digest();

export async function forgetSignInFailures(
  tx: EntityManager,
  member: { userId: string; email: string; tenant: string },
): Promise<void> {
  const accounts = [hashAccountKey(member.email, undefined), hashAccountKey(member.email, member.tenant)];
  const owners = [...accounts, hashMemberKey(member.userId)];
  await affected(tx, sql`delete from login_throttle where key = any (${accounts}) or owner = any (${owners})`);
}
