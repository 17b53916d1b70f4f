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

/** Forgets the failed sign-ins of an account, by both ways to name it. */
export async function forgetFailures(tx: EntityManager, email: string, tenant: string): Promise<void> {
  await tx.query('delete from login_throttle where key = any($1)', [
    [accountKey(email, undefined), accountKey(email, tenant)],
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
 * Gives a member another password: whoever signed in with the old one is signed out, and no older link sets it again.
 * @param keepSession the session in which this was asked for; it stays
 */
export async function replacePassword(
  tx: EntityManager,
  tenantId: string,
  userId: string,
  passwordHash: string,
  keepSession: string | null = null,
): Promise<void> {
  await tx.query('update users set password_hash = $3, updated_at = now() where tenant_id = $1 and id = $2', [
    tenantId,
    userId,
    passwordHash,
  ]);
  await endSessions(tx, tenantId, userId, keepSession);
  await voidLinks(tx, tenantId, userId);
}
