import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { affected, sql } from '../../common/database/sql.js';

/**
 * Key for failed sign-ins at an account. It contains the typed text, so that unknown accounts are counted in the same
 * way.
 * @param tenant name of the tenant in the request; undefined: none
 */
export const accountKey = (email: string, tenant: string | undefined): Buffer =>
  createHash('sha256')
    .update(`account\n${email.trim().toLowerCase()}\n${tenant?.trim().toLowerCase() ?? ''}`)
    .digest();

export const memberKey = (userId: string): Buffer => createHash('sha256').update(`member\n${userId}`).digest();

export async function forgetFailures(
  tx: EntityManager,
  member: { userId: string; email: string; tenant: string },
): Promise<void> {
  const accounts = [accountKey(member.email, undefined), accountKey(member.email, member.tenant)];
  const owners = [...accounts, memberKey(member.userId)];
  await affected(tx, sql`delete from login_throttle where key = any (${accounts}) or owner = any (${owners})`);
}
