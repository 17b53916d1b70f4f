import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { sql, type Sql } from '../../common/database/sql.js';
import { notFound } from '../../common/errors/problem.js';
import { isId } from '../../common/ids.js';
import { Webhook } from './webhook.entity.js';

/** Condition on a row of `webhooks`: members see their own, admins see all. */
export const isWebhookVisibleSql = (webhook: Sql, { role, userId }: Principal): Sql =>
  sql`(${role}::text = 'admin' or ${webhook}.owner_id = ${userId}::uuid)`;

/** @throws Problem 404 also if the caller may not see it */
export async function findVisibleWebhook(tx: EntityManager, caller: Principal, id: string): Promise<Webhook> {
  const webhook = isId(id) ? await tx.getRepository(Webhook).findOneBy({ tenantId: caller.tenantId, id }) : null;
  if (!webhook || (caller.role !== 'admin' && webhook.ownerId !== caller.userId)) throw notFound();
  return webhook;
}

/** Like {@link findVisibleWebhook}, and locks the row until the transaction ends. @throws Problem 404 */
export async function lockVisibleWebhook(tx: EntityManager, caller: Principal, id: string): Promise<Webhook> {
  await findVisibleWebhook(tx, caller, id);
  const lock = { mode: 'pessimistic_write' as const };
  await tx.getRepository(Webhook).findOne({ where: { tenantId: caller.tenantId, id }, lock });
  // The webhook may have changed while this transaction waited for the lock.
  return findVisibleWebhook(tx, caller, id);
}
