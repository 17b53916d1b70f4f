import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { EnvironmentReader } from '../environments/environment.reader.js';
import { ACTIVE_MEMBERS } from '../tenancy/directory/members.sql.js';
import type { Webhook } from './records/webhook.entity.js';
import { toWebhookView, type WebhookView } from './webhooks.view.js';

/** Higher numbers of deliveries are not counted exactly. */
const MAX_COUNTED_DELIVERIES = 1_000;

interface ContextRow {
  id: string;
  pending: string;
  dead: string;
  may_send: boolean;
}

@Injectable()
export class WebhookViews {
  constructor(private readonly environments: EnvironmentReader) {}

  async of(tx: EntityManager, caller: Principal, webhooks: readonly Webhook[]): Promise<WebhookView[]> {
    const counted = (state: string) =>
      `(select count(*) from (select from webhook_deliveries d
        where d.webhook_id = w.id and d.state = '${state}' limit ${MAX_COUNTED_DELIVERIES}) x) as ${state}`;
    const rows = await tx.query<ContextRow[]>(
      `select w.id, ${counted('pending')}, ${counted('dead')}, coalesce(u.role <> 'viewer', false) as may_send
        from webhooks w left join ${ACTIVE_MEMBERS} u on u.tenant_id = w.tenant_id and u.id = w.owner_id
        where w.tenant_id = $1 and w.id = any ($2)`,
      [caller.tenantId, webhooks.map(({ id }) => id)],
    );
    const found = new Map(rows.map((row) => [row.id, row]));
    const ids = webhooks.flatMap(({ environmentIds }) => environmentIds ?? []);
    const named = ids.length > 0 ? await this.environments.visibleByName(tx, caller, [...new Set(ids)]) : [];
    const names = new Map(named.map(({ id, name }) => [id, name]));
    return webhooks.map((webhook) => {
      const row = found.get(webhook.id);
      return toWebhookView(webhook, {
        pending: Number(row?.pending ?? 0),
        dead: Number(row?.dead ?? 0),
        ownerMaySend: row?.may_send ?? false,
        names,
      });
    });
  }
}

/**
 * Audited fields of a webhook. Omits fields that change automatically, and the path of the URL, which may be a secret.
 */
export function audited(view: WebhookView) {
  const { id, name, url, events, environmentIds, enabled, owner } = view;
  const { origin } = new URL(url);
  return { id, name, url: `${origin}/…`, events, environmentIds, enabled, owner: { id: owner.id, name: owner.name } };
}
