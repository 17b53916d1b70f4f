import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import { row, sql } from '../../common/database/sql.js';
import { webhookPageUrl } from '../../common/http/web-pages.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { Outbox } from '../../outbox/outbox.js';
import { endWaiting } from './delivery-lanes.js';
import type { DisabledCode } from './webhook.entity.js';
import { WebhookInterests } from './webhook-interests.js';

export const DISABLED_TEXTS: Record<DisabledCode, string> = {
  person: 'It was disabled.',
  gone: 'Its address answered 410 (gone).',
  failing: 'No delivery to its address succeeded for a week.',
};

export const ENDED_BY_DISABLING = {
  code: 'webhook_disabled',
  message:
    'The webhook was disabled before this was delivered. Enable it, then replay the delivery if you still need it.',
};

interface SwitchedWebhook {
  tenantId: string;
  id: string;
}

/** Disables webhooks automatically, with an audit entry and an event. */
@Injectable()
export class WebhookSwitch {
  constructor(
    private readonly audit: AuditTrail,
    private readonly outbox: Outbox,
    private readonly interests: WebhookInterests,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  /** The caller must have locked the webhook's row. */
  async disable(tx: EntityManager, { tenantId, id }: SwitchedWebhook, code: 'gone' | 'failing'): Promise<void> {
    const disabled = await row(
      tx,
      sql<{ name: string; owner_id: string; owner_name: string }>`
        update webhooks set enabled = false, disabled_code = ${code}, disabled_at = now(), updated_at = now(),
            version = version + 1
          where tenant_id = ${tenantId} and id = ${id} and enabled returning name, owner_id, owner_name`,
    );
    if (!disabled) return;
    await endWaiting(tx, tenantId, id, ENDED_BY_DISABLING);
    await this.interests.keep(tx, tenantId);
    const reason = { code, text: DISABLED_TEXTS[code] };
    await this.outbox.add(tx, tenantId, {
      type: 'webhook.disabled',
      data: {
        webhook: { id, name: disabled.name },
        ...{ owner: { id: disabled.owner_id, name: disabled.owner_name }, reason },
        webUrl: webhookPageUrl(this.runtime.settings.publicUrl, id),
      },
    });
    await this.audit.record(
      tx,
      { kind: 'system', tenantId, name: 'webhooks' },
      {
        action: 'webhook.disable',
        resourceId: id,
        resourceName: disabled.name,
        before: { enabled: true },
        after: { enabled: false, reason },
      },
    );
  }
}
