import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { affected, sql } from '../common/database/sql.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { conflict, type Problem } from '../common/errors/problem.js';
import { requireVersion } from '../common/http/etag.js';
import { toLikePattern, type Page } from '../common/http/paging/page.js';
import { NAMED_RECORD_COLUMNS, readPage } from '../common/http/paging/sorted-page.js';
import { newId } from '../common/ids.js';
import { EnvironmentReader } from '../environments/environment.reader.js';
import { endWaiting } from './records/delivery-lanes.js';
import { Webhook } from './records/webhook.entity.js';
import { WebhookInterests } from './records/webhook-interests.js';
import { lockVisibleWebhook, findVisibleWebhook } from './records/webhook-lookup.js';
import { ENDED_BY_DISABLING } from './records/webhook-switch.js';
import { WebhookVault } from './records/webhook-vault.js';
import { validUrl } from './requested-url.js';
import { WebhookHttp } from './sending/webhook-http.js';
import { toAuditedWebhook, WebhookViews } from './webhook-views.js';
import type {
  CreateWebhookRequest,
  ListWebhooksQuery,
  RotateWebhookSecretRequest,
  UpdateWebhookRequest,
} from './webhooks.dto.js';
import type { WebhookView, WebhookWithSecretView } from './webhooks.view.js';

/** Per tenant. */
export const MAX_WEBHOOKS = 50;

const ENDED_BY_MOVE = {
  code: 'address_changed',
  message: 'The address was changed before this was delivered. Replay it to send it to the new address.',
};

/**
 * Members see and change their own webhooks, admins all webhooks. A webhook delivers only events that its owner can
 * see.
 */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly environments: EnvironmentReader,
    private readonly vault: WebhookVault,
    private readonly interests: WebhookInterests,
    private readonly http: WebhookHttp,
    private readonly views: WebhookViews,
  ) {}

  list(caller: Principal, query: ListWebhooksQuery): Promise<Page<WebhookView>> {
    return this.units.run(caller.tenantId, async (tx) => {
      const select = tx
        .getRepository(Webhook)
        .createQueryBuilder('webhook')
        .where('webhook.tenantId = :tenantId', caller);
      if (caller.role !== 'admin') select.andWhere('webhook.ownerId = :userId', caller);
      if (query.name !== undefined)
        select.andWhere('lower(webhook.name) = lower(:exactName)', { exactName: query.name });
      if (query.q) select.andWhere('webhook.name ilike :name', { name: toLikePattern(query.q) });
      const page = await readPage(select, query, (webhook) => webhook, NAMED_RECORD_COLUMNS);
      return { ...page, items: await this.views.of(tx, caller, page.items) };
    });
  }

  /** @throws Problem 404 */
  get(caller: Principal, id: string): Promise<WebhookView> {
    return this.units.run(caller.tenantId, (tx) => this.view(tx, caller, id));
  }

  /** @throws Problem 400; 404; 409 `duplicate_name`, `too_many_webhooks` */
  async create(caller: Principal, request: CreateWebhookRequest): Promise<WebhookWithSecretView> {
    const { tenantId } = caller;
    const url = await validUrl(this.http, tenantId, request.url);
    return this.units.run(tenantId, async (tx) => {
      await this.requireEnvironments(tx, caller, request.environmentIds ?? null);
      const id = newId();
      const secret = this.vault.make();
      const enabled = request.enabled ?? true;
      await tx.getRepository(Webhook).insert({
        ...{ id, tenantId, name: request.name, url, events: request.events, enabled },
        ...{ environmentIds: request.environmentIds ?? null, ownerId: caller.userId, ownerName: caller.name },
        ...{ sealedSecret: this.vault.seal(tenantId, id, 1, secret), secretVersion: 1 },
        ...{ disabledCode: enabled ? null : 'person', disabledAt: enabled ? null : () => 'now()' },
        ...{ oldSecretVersion: 0, dropped: '0' },
      });
      // Locks the subscriptions until the transaction ends, so that concurrent requests cannot exceed the limit.
      await this.interests.keep(tx, tenantId);
      if ((await tx.getRepository(Webhook).countBy({ tenantId })) > MAX_WEBHOOKS)
        throw conflict(
          'too_many_webhooks',
          `A tenant has at most ${MAX_WEBHOOKS} webhooks. Delete webhooks that you no longer need.`,
        );
      const after = await this.view(tx, caller, id);
      await this.audit.recordChange(tx, caller, {
        ...{ action: 'webhook.create', after: toAuditedWebhook(after) },
      });
      return { ...after, secret };
    });
  }

  /**
   * A new URL gets a new secret. Pending deliveries for the old URL become dead.
   * @throws Problem 400; 404; 409 `duplicate_name`; 412
   */
  async update(
    caller: Principal,
    id: string,
    request: UpdateWebhookRequest,
    version: number | null,
  ): Promise<WebhookWithSecretView> {
    const { tenantId } = caller;
    const url = request.url === undefined ? undefined : await validUrl(this.http, tenantId, request.url);
    return this.units.run(tenantId, async (tx) => {
      const webhook = await lockVisibleWebhook(tx, caller, id);
      requireVersion(webhook, version);
      const before = await this.view(tx, caller, id);
      if (request.environmentIds) await this.requireEnvironments(tx, caller, request.environmentIds);
      const moved = url !== undefined && url !== webhook.url;
      const secret = moved ? this.vault.make() : undefined;
      await tx.getRepository(Webhook).update(
        { tenantId, id },
        {
          ...(request.name === undefined ? {} : { name: request.name }),
          ...(request.events === undefined ? {} : { events: request.events }),
          ...(request.environmentIds === undefined ? {} : { environmentIds: request.environmentIds }),
          ...(secret === undefined ? {} : this.toMovedColumns(webhook, url!, secret)),
          ...toEnabledColumns(webhook, request.enabled),
          ...{ updatedAt: () => 'now()', version: () => 'version + 1' },
        },
      );
      if (moved) await endWaiting(tx, tenantId, id, ENDED_BY_MOVE);
      else if (request.enabled === false) await endWaiting(tx, tenantId, id, ENDED_BY_DISABLING);
      await this.interests.keep(tx, tenantId);
      const after = await this.view(tx, caller, id);
      await this.audit.recordChange(tx, caller, {
        action: 'webhook.update',
        before: toAuditedWebhook(before),
        after: { ...toAuditedWebhook(after), ...(moved ? { urlChanged: true, secretChanged: true } : {}) },
      });
      return secret === undefined ? after : { ...after, secret };
    });
  }

  /** @throws Problem 404; 412 */
  delete(caller: Principal, id: string, version: number | null): Promise<void> {
    const { tenantId } = caller;
    return this.units.run(tenantId, async (tx) => {
      requireVersion(await lockVisibleWebhook(tx, caller, id), version);
      const before = toAuditedWebhook(await this.view(tx, caller, id));
      await tx.getRepository(Webhook).delete({ tenantId, id });
      await this.interests.keep(tx, tenantId);
      await this.audit.recordChange(tx, caller, { action: 'webhook.delete', before });
    });
  }

  /**
   * At most two secrets are valid at a time. A receiver may still know only the previous one, so it is not ended
   * without `endOldSecret`.
   * @throws Problem 404; 409 `old_secret_signs` without `endOldSecret`
   */
  rotateSecret(
    caller: Principal,
    id: string,
    { endOldSecret }: RotateWebhookSecretRequest,
  ): Promise<WebhookWithSecretView> {
    const { tenantId } = caller;
    return this.units.run(tenantId, async (tx) => {
      const { name } = await lockVisibleWebhook(tx, caller, id);
      const until = await this.vault.oldSecretUntil(tx, tenantId, id);
      if (until && endOldSecret !== true) throw oldSecretSignsProblem(until);
      const secret = await this.vault.rotate(tx, tenantId, id);
      await affected(
        tx,
        sql`update webhooks set updated_at = now(), version = version + 1 where tenant_id = ${tenantId} and id = ${id}`,
      );
      await this.audit.record(tx, caller, {
        action: 'webhook.rotate_secret',
        resourceId: id,
        resourceName: name,
        after: until ? { endedOldSecret: true } : undefined,
      });
      return { ...(await this.view(tx, caller, id)), secret };
    });
  }

  /** Makes the caller the owner. @throws Problem 404 */
  takeOver(caller: Principal, id: string): Promise<WebhookView> {
    const { tenantId } = caller;
    return this.units.run(tenantId, async (tx) => {
      const { name, ownerId, ownerName } = await lockVisibleWebhook(tx, caller, id);
      await affected(
        tx,
        sql`update webhooks set owner_id = ${caller.userId}, owner_name = ${caller.name}, updated_at = now(),
            version = version + 1
          where tenant_id = ${tenantId} and id = ${id}`,
      );
      await this.audit.record(tx, caller, {
        ...{ action: 'webhook.take_over', resourceId: id, resourceName: name },
        before: { owner: { id: ownerId, name: ownerName } },
        after: { owner: { id: caller.userId, name: caller.name } },
      });
      return this.view(tx, caller, id);
    });
  }

  private toMovedColumns({ tenantId, id, secretVersion }: Webhook, url: string, secret: string) {
    const version = secretVersion + 1;
    return {
      ...{ url, sealedSecret: this.vault.seal(tenantId, id, version, secret), secretVersion: version },
      // Neither the previous secret nor the failures of the old URL apply to the new URL.
      ...{ sealedOldSecret: null, oldSecretUntil: null, failingSince: null, notBefore: null },
      ...{ failedAt: null, failedStatus: null, failedCode: null, failedMessage: null, deliveredAt: null },
    };
  }

  private async requireEnvironments(
    tx: EntityManager,
    caller: Principal,
    ids: readonly string[] | null,
  ): Promise<void> {
    for (const [index, id] of (ids ?? []).entries())
      await this.environments.findVisibleEnvironment(tx, caller, id, `/environmentIds/${index}`);
  }

  private async view(tx: EntityManager, caller: Principal, id: string): Promise<WebhookView> {
    const [view] = await this.views.of(tx, caller, [await findVisibleWebhook(tx, caller, id)]);
    if (!view) throw new Error('A webhook that was just read has no view.');
    return view;
  }
}

const oldSecretSignsProblem = (until: Date): Problem =>
  conflict(
    'old_secret_signs',
    `The previous secret signs until ${until.toISOString()}. Another rotation would end it now, and receivers that only have that secret would refuse messages. Wait until then, or send "endOldSecret": true.`,
    { oldSecretUntil: until.toISOString() },
  );

/** Enabling resets the failure history, so that earlier failures do not disable the webhook again. */
function toEnabledColumns({ enabled: before }: Webhook, enabled: boolean | undefined) {
  if (enabled === undefined || enabled === before) return {};
  return enabled
    ? { enabled, disabledCode: null, disabledAt: null, failingSince: null, notBefore: null }
    : { enabled, disabledCode: 'person' as const, disabledAt: () => 'now()' };
}
