import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { notFound } from '../../common/errors/problem.js';
import { isId } from '../../common/ids.js';
import { Webhook } from './webhook.entity.js';

/** SQL condition on a row of `webhooks`: members see their own, admins all. */
export const isVisibleWebhook = (alias: string, caller: { role: string; user: string }): string =>
  `(${caller.role} = 'admin' or ${alias}.owner_id = ${caller.user})`;

/** The webhook if the caller may see it. @throws Problem 404 */
export async function visibleWebhook(tx: EntityManager, caller: Principal, id: string): Promise<Webhook> {
  const webhook = isId(id) ? await tx.getRepository(Webhook).findOneBy({ tenantId: caller.tenantId, id }) : null;
  if (!webhook || (caller.role !== 'admin' && webhook.ownerId !== caller.userId)) throw notFound();
  return webhook;
}

/** The same, held until the transaction ends. @throws Problem 404 */
export async function heldWebhook(tx: EntityManager, caller: Principal, id: string): Promise<Webhook> {
  await visibleWebhook(tx, caller, id);
  const lock = { mode: 'pessimistic_write' as const };
  await tx.getRepository(Webhook).findOne({ where: { tenantId: caller.tenantId, id }, lock });
  // It may have changed while it was waited for.
  return visibleWebhook(tx, caller, id);
}
