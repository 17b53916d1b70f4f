import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { sql, whereSql } from '../common/database/sql.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { requireVersion } from '../common/http/etag.js';
import { toLikePattern } from '../common/http/paging/page.js';
import { NAMED_RECORD_COLUMNS, readPage } from '../common/http/paging/sorted-page.js';
import { newId } from '../common/ids.js';
import { OutboxInterests } from '../outbox/outbox-interests.js';
import { requireValidChannel, type RequestedChannel } from './channels/validate-channel.js';
import { CONSUMER, getInterests } from './delivery/listening-rules.js';
import { requireAdminFor, requireReportable } from './events-of-admins.js';
import type {
  CreateNotificationRuleRequest,
  ListNotificationRulesQuery,
  UpdateNotificationRuleRequest,
} from './notification-rules.dto.js';
import type { NotificationRuleListView, NotificationRuleView } from './notification-rules.view.js';
import { NotificationRule } from './records/notification-rule.entity.js';
import { RuleLookup, isRuleVisibleSql } from './records/rule-lookup.js';
import { RuleVault } from './records/rule-vault.js';
import { requireBelowLimit, RuleReader } from './rule-reader.js';
import { MailSender } from './sending/mail-sender.js';

const lower = (ids: readonly string[] | null | undefined) => ids?.map((id) => id.toLowerCase());

@Injectable()
export class NotificationRulesService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly lookup: RuleLookup,
    private readonly reader: RuleReader,
    private readonly vault: RuleVault,
    private readonly interests: OutboxInterests,
    private readonly mail: MailSender,
  ) {}

  list(caller: Principal, query: ListNotificationRulesQuery): Promise<NotificationRuleListView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const ofTenant = tx
        .getRepository(NotificationRule)
        .createQueryBuilder('rule')
        .where('rule.tenantId = :tenantId', { tenantId: caller.tenantId });
      const select = whereSql(ofTenant, isRuleVisibleSql(sql.raw('rule'), caller));
      if (query.name !== undefined) select.andWhere('lower(rule.name) = lower(:exactName)', { exactName: query.name });
      if (query.q) select.andWhere('rule.name ilike :name', { name: toLikePattern(query.q) });
      const page = await readPage(select, query, (rule) => rule, NAMED_RECORD_COLUMNS);
      const items = await this.reader.views(tx, caller, page.items);
      return { ...page, items, mailConfigured: this.mail.isConfigured };
    });
  }

  /** @throws Problem 404 */
  get(caller: Principal, id: string): Promise<NotificationRuleView> {
    return this.units.run(caller.tenantId, async (tx) =>
      this.reader.view(tx, caller, await this.lookup.visible(tx, caller, id)),
    );
  }

  /** @throws Problem 400; 403; 404; 409 `duplicate_name`, `too_many_notification_rules` */
  create(caller: Principal, request: CreateNotificationRuleRequest): Promise<NotificationRuleView> {
    requireAdminFor(caller, request.events);
    const channel = requireValidChannel(request.channel, null);
    const { tenantId, userId } = caller;
    const [environmentIds, planIds] = [lower(request.environmentIds), lower(request.planIds)];
    requireReportable({ events: request.events, environmentIds: environmentIds ?? null, planIds: planIds ?? null });
    return this.units.run(tenantId, async (tx) => {
      await this.reader.requireNamedRecords(tx, caller, { environmentIds, planIds, to: channel.channel.to });
      requireBelowLimit(await tx.getRepository(NotificationRule).countBy({ tenantId }));
      const id = newId();
      await tx.getRepository(NotificationRule).insert({
        ...{ id, tenantId, name: request.name, enabled: request.enabled ?? true, events: request.events },
        ...{ environmentIds: environmentIds ?? null, planIds: planIds ?? null },
        ...{ createdBy: userId, ownerId: userId, ownerName: caller.name },
        ...this.channelColumns({ tenantId, id, secretVersion: 0 }, channel),
      });
      await this.listen(tx, tenantId);
      const after = await this.reader.view(tx, caller, await this.lookup.visible(tx, caller, id));
      await this.audit.recordChange(tx, caller, {
        action: 'notification_rule.create',
        after: toAuditedRule(after),
      });
      return after;
    });
  }

  /** Makes the caller the rule's owner. @throws Problem 400; 403; 404; 409 `duplicate_name`; 412 */
  update(
    caller: Principal,
    id: string,
    request: UpdateNotificationRuleRequest,
    version: number | null,
  ): Promise<NotificationRuleView> {
    const { tenantId, userId } = caller;
    requireAdminFor(caller, request.events);
    return this.units.run(tenantId, async (tx) => {
      const rule = await this.lookup.getLocked(tx, caller, id);
      requireVersion(rule, version);
      const before = await this.reader.view(tx, caller, rule);
      const channel = request.channel && requireValidChannel(request.channel, rule);
      const [environmentIds, planIds] = [lower(request.environmentIds), lower(request.planIds)];
      await this.reader.requireNamedRecords(tx, caller, {
        environmentIds,
        planIds,
        to: request.channel?.to === undefined ? undefined : channel?.channel.to,
      });
      const { name, events, enabled } = request;
      requireReportable({
        events: events ?? rule.events,
        environmentIds: environmentIds === undefined ? rule.environmentIds : environmentIds,
        planIds: planIds === undefined ? rule.planIds : planIds,
      });
      await tx.getRepository(NotificationRule).update(
        { tenantId, id },
        {
          ...(name === undefined ? {} : { name }),
          ...(events === undefined ? {} : { events }),
          ...(enabled === undefined ? {} : { enabled }),
          ...(request.environmentIds === undefined ? {} : { environmentIds: environmentIds ?? null }),
          ...(request.planIds === undefined ? {} : { planIds: planIds ?? null }),
          ...(channel ? this.channelColumns(rule, channel) : {}),
          ...{ ownerId: userId, ownerName: caller.name, updatedAt: () => 'now()', version: () => 'version + 1' },
        },
      );
      await this.listen(tx, tenantId);
      const after = await this.reader.view(tx, caller, await this.lookup.visible(tx, caller, id));
      const secret = channel?.secret === undefined ? {} : { secretChanged: true };
      await this.audit.recordChange(tx, caller, {
        action: 'notification_rule.update',
        before: toAuditedRule(before),
        after: { ...toAuditedRule(after), ...secret },
      });
      return after;
    });
  }

  /** Also deletes the rule's messages. @throws Problem 404; 412 */
  delete(caller: Principal, id: string, version: number | null): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      const rule = await this.lookup.getLocked(tx, caller, id);
      requireVersion(rule, version);
      const before = toAuditedRule(await this.reader.view(tx, caller, rule));
      await tx.getRepository(NotificationRule).delete({ tenantId: caller.tenantId, id });
      await this.listen(tx, caller.tenantId);
      await this.audit.recordChange(tx, caller, { action: 'notification_rule.delete', before });
    });
  }

  private listen(tx: EntityManager, tenantId: string): Promise<void> {
    return this.interests.storeInterests(tx, tenantId, CONSUMER, () => getInterests(tx, tenantId));
  }

  private channelColumns(
    { tenantId, id, secretVersion }: Pick<NotificationRule, 'tenantId' | 'id' | 'secretVersion'>,
    { channelType, channel, secret }: RequestedChannel,
  ) {
    if (secret === undefined) return { channelType, channel };
    const version = secretVersion + 1;
    const sealedSecret = secret === null ? null : this.vault.seal({ tenantId, id, secretVersion: version }, secret);
    return { channelType, channel, sealedSecret, secretVersion: version };
  }
}

/** The audit trail records the rule without its messages. */
const toAuditedRule = ({ lastDelivery: _, ...rule }: NotificationRuleView) => rule;
