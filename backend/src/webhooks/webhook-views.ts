import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { rows, sql, type Sql } from '../common/database/sql.js';
import { EnvironmentReader } from '../environments/environment.reader.js';
import { ACTIVE_MEMBERS } from '../tenancy/directory/members.sql.js';
import type { Webhook } from './records/webhook.entity.js';
import { toWebhookView, type WebhookView } from './webhooks.view.js';

/** Higher numbers of deliveries are not counted exactly. */
const MAX_COUNTED_DELIVERIES = 1_000;

interface ContextRow {
  id: string;
  pending: number;
  dead: number;
  may_send: boolean;
}

/** Number of the webhook's deliveries in a state. */
const countOf = (state: 'pending' | 'dead'): Sql =>
  sql`(select count(*)::int from (select from webhook_deliveries d
    where d.webhook_id = w.id and d.state = '${sql.raw(state)}' limit ${MAX_COUNTED_DELIVERIES}) x)`;

@Injectable()
export class WebhookViews {
  constructor(private readonly environments: EnvironmentReader) {}

  async of(tx: EntityManager, caller: Principal, webhooks: readonly Webhook[]): Promise<WebhookView[]> {
    const contexts = await rows(
      tx,
      sql<ContextRow>`select w.id, ${countOf('pending')} as pending, ${countOf('dead')} as dead,
          coalesce(u.role <> 'viewer', false) as may_send
        from webhooks w left join ${ACTIVE_MEMBERS} u on u.tenant_id = w.tenant_id and u.id = w.owner_id
        where w.tenant_id = ${caller.tenantId} and w.id = any (${webhooks.map(({ id }) => id)})`,
    );
    const found = new Map(contexts.map((context) => [context.id, context]));
    const ids = webhooks.flatMap(({ environmentIds }) => environmentIds ?? []);
    const named = ids.length > 0 ? await this.environments.findVisibleByName(tx, caller, [...new Set(ids)]) : [];
    const names = new Map(named.map(({ id, name }) => [id, name]));
    return webhooks.map((webhook) => {
      const context = found.get(webhook.id);
      return toWebhookView(webhook, {
        pending: context?.pending ?? 0,
        dead: context?.dead ?? 0,
        ownerMaySend: context?.may_send ?? false,
        names,
      });
    });
  }
}

/**
 * Audited fields of a webhook. Omits fields that change automatically, and the path of the URL, which may be a secret.
 */
export function toAuditedWebhook(view: WebhookView) {
  const { id, name, url, events, environmentIds, enabled, owner } = view;
  const { origin } = new URL(url);
  return { id, name, url: `${origin}/…`, events, environmentIds, enabled, owner: { id: owner.id, name: owner.name } };
}
