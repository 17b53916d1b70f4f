import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { affected, row, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { Problem } from '../../common/errors/problem.js';
import { newId } from '../../common/ids.js';
import { lockVisibleWebhook, findVisibleWebhook } from '../records/webhook-lookup.js';
import { type SealedSecrets, sealedSecretsOf, WebhookVault } from '../records/webhook-vault.js';
import type { Attempt } from '../sending/attempt.js';
import { createMessageBody } from '../sending/take-events.js';
import { WebhookHttp } from '../sending/webhook-http.js';
import { DeliveriesReader } from './deliveries.reader.js';
import type { DeliveryDetailView } from './deliveries.view.js';

const TEST_EVENT = 'webhook.test';

/** Maximum number of concurrent tests, per process and per tenant. Each may last as long as the call's timeout. */
const AT_ONCE = 16;
const AT_ONCE_OF_TENANT = 2;

interface Test {
  id: string;
  at: Date;
  body: string;
}

@Injectable()
export class TestWebhook {
  private readonly running: string[] = [];

  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly vault: WebhookVault,
    private readonly http: WebhookHttp,
    private readonly reader: DeliveriesReader,
  ) {}

  /**
   * Also tests disabled webhooks, to see whether the receiver works again. @throws Problem 404; 429 `too_many_at_once`
   */
  async test(caller: Principal, webhookId: string): Promise<DeliveryDetailView> {
    const { tenantId } = caller;
    const { webhook, secrets } = await this.units.run(tenantId, async (tx) => {
      const found = await findVisibleWebhook(tx, caller, webhookId);
      return { webhook: found, secrets: await this.secretsOf(tx, tenantId, webhookId) };
    });
    this.requireCapacity(tenantId);
    this.running.push(tenantId);
    try {
      const at = new Date();
      const data = {
        webhook: { id: webhookId, name: webhook.name },
        sentBy: { id: caller.userId, name: caller.name },
        message: 'This is a test. Nothing has happened.',
      };
      const test = { id: randomUUID(), at, body: createMessageBody(TEST_EVENT, at, data) };
      const message = { tenantId, url: webhook.url, messageId: test.id, body: test.body, secrets };
      const attempt = await this.http.send(message);
      return await this.store(caller, webhookId, test, attempt);
    } finally {
      this.running.splice(this.running.indexOf(tenantId), 1);
    }
  }

  private requireCapacity(tenantId: string): void {
    const own = this.running.filter((each) => each === tenantId).length;
    if (own < AT_ONCE_OF_TENANT && this.running.length < AT_ONCE) return;
    throw new Problem('too_many_at_once', 'Too many webhook tests are in progress. Try again shortly.', {
      headers: { 'Retry-After': '5' },
    });
  }

  private async secretsOf(tx: EntityManager, tenantId: string, id: string): Promise<string[]> {
    const sealed = await row(
      tx,
      sql<SealedSecrets>`select ${sealedSecretsOf(sql.raw('w'))} from webhooks w
        where w.tenant_id = ${tenantId} and w.id = ${id}`,
    );
    if (!sealed) throw new Error('A webhook that was just read is gone.');
    return this.vault.open(tenantId, id, sealed);
  }

  /** Stores the test as a finished delivery, which is never retried. */
  private store(caller: Principal, webhookId: string, test: Test, attempt: Attempt): Promise<DeliveryDetailView> {
    const { tenantId } = caller;
    const { fault, durationMs, status } = attempt;
    const id = newId();
    return this.units.run(tenantId, async (tx) => {
      const { name } = await lockVisibleWebhook(tx, caller, webhookId);
      await affected(
        tx,
        sql`insert into webhook_messages (id, tenant_id, type, body, at)
          values (${test.id}, ${tenantId}, ${TEST_EVENT}, ${test.body}, ${test.at})`,
      );
      const result = sql`${durationMs}, ${status}, ${fault?.code ?? null}, ${fault?.message ?? null}`;
      await affected(
        tx,
        sql`insert into webhook_deliveries (id, tenant_id, webhook_id, message_id, lane, position, state, attempts, tries,
            attempted_at, duration_ms, status, code, message, finished_at)
          values (${id}, ${tenantId}, ${webhookId}, ${test.id}, ${test.id}, 0, ${fault ? 'dead' : 'delivered'}, 1, 1,
            ${attempt.at}, ${result}, now())`,
      );
      await affected(
        tx,
        sql`insert into webhook_attempts (tenant_id, delivery_id, number, at, duration_ms, status, code, message, answer,
            truncated)
          values (${tenantId}, ${id}, 1, ${attempt.at}, ${result}, ${attempt.answer}, ${attempt.truncated})`,
      );
      await this.audit.record(tx, caller, {
        ...{ action: 'webhook.test', resourceId: webhookId, resourceName: name },
        after: { delivered: fault === null, status, code: fault?.code ?? null },
      });
      return this.reader.getIn(tx, caller, webhookId, id);
    });
  }
}
