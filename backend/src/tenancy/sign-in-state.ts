import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { forgetPlaces, type Place } from './known-places.js';

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

/** Ends all sessions of a member, but for one. @returns how many were ended */
export async function endSessions(
  tx: EntityManager,
  tenantId: string,
  userId: string,
  except: string | null = null,
): Promise<number> {
  const [row] = await tx.query<{ ended: number }[]>(
    `with gone as (
        delete from sessions where tenant_id = $1 and user_id = $2 and id is distinct from $3::uuid returning id
      ), unlisted as (delete from auth_directory d using gone where d.kind = 'session' and d.record_id = gone.id)
      select count(*)::int as ended from gone`,
    [tenantId, userId, except],
  );
  return row?.ended ?? 0;
}

/** Voids all set-password links of a member. */
export async function voidLinks(tx: EntityManager, tenantId: string, userId: string): Promise<void> {
  await tx.query(
    `with gone as (delete from password_links where tenant_id = $1 and user_id = $2 returning id)
      delete from auth_directory d using gone where d.kind = 'password_link' and d.record_id = gone.id`,
    [tenantId, userId],
  );
}

/**
 * Gives a member another password: whoever signed in with the old one is signed out and is no known place any more, and
 * no older link sets it again.
 * @param keep the session in which this was asked for, and where; they stay as they are
 */
export async function replacePassword(
  tx: EntityManager,
  tenantId: string,
  userId: string,
  passwordHash: string,
  keep: { session: string | null; place: Place } | null = null,
): Promise<void> {
  await tx.query('update users set password_hash = $3, updated_at = now() where tenant_id = $1 and id = $2', [
    tenantId,
    userId,
    passwordHash,
  ]);
  await endSessions(tx, tenantId, userId, keep?.session ?? null);
  await forgetPlaces(tx, userId, keep?.place ?? null);
  await voidLinks(tx, tenantId, userId);
}
