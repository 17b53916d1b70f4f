import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';

/**
 * What failed sign-ins of an account are counted under: by what was typed, so that an account that doesn't exist is
 * counted alike.
 * @param tenant name of the tenant as it was given; undefined when none was
 */
export const accountKey = (email: string, tenant: string | undefined): Buffer =>
  createHash('sha256')
    .update(`account\n${email.trim().toLowerCase()}\n${tenant?.trim().toLowerCase() ?? ''}`)
    .digest();

/** What failures are counted under that concern a member whose identity is known. */
export const memberKey = (userId: string): Buffer => createHash('sha256').update(`member\n${userId}`).digest();

/** Forgets the failed sign-ins of a member, wherever they came from and whichever way the account was named. */
export async function forgetFailures(
  tx: EntityManager,
  member: { userId: string; email: string; tenant: string },
): Promise<void> {
  const accounts = [accountKey(member.email, undefined), accountKey(member.email, member.tenant)];
  await tx.query('delete from login_throttle where key = any($1) or owner = any($2)', [
    accounts,
    [...accounts, memberKey(member.userId)],
  ]);
}
