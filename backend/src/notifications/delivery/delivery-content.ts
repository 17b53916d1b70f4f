import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { findPreviousFailureTime } from '../../executions/notices/run-end.js';
import { RunNoticeReader } from '../../executions/notices/run-notice.reader.js';
import { createMessage } from '../messages/message.js';
import type { Notice } from '../messages/notice.js';
import { isNotificationEvent, type NotificationEvent } from '../messages/notification-events.js';
import type { ClaimedDelivery } from '../records/delivery-rows.js';
import { NotificationRule } from '../records/notification-rule.entity.js';
import { RuleVault } from '../records/rule-vault.js';
import { destinationOfRule, withoutReached } from './recipients/destination.js';
import { countOmitted } from './flood-guard.js';
import { MissedContent, type PreparedSending } from './missed-content.js';
import { isMissedSchedules } from './missed-schedules.js';
import { createRunNotice } from './notice-of-run.js';
import { createServiceNotice } from './notice-of-service.js';
import { findAdmins, filterMemberIds, type Readers, toMembersWithAccess } from './recipients/recipients.js';

@Injectable()
export class DeliveryContent {
  constructor(
    private readonly environments: EnvironmentReader,
    private readonly runs: RunNoticeReader,
    private readonly vault: RuleVault,
    private readonly missed: MissedContent,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  /**
   * @returns the messages, several when recipients may see different content; a string gives the reason for sending
   *   none
   */
  async prepareSendings(tx: EntityManager, delivery: ClaimedDelivery): Promise<PreparedSending[] | string> {
    const { tenantId, ruleId: id, environmentId, about } = delivery;
    const rule = await tx.getRepository(NotificationRule).findOneBy({ tenantId, id });
    if (!rule?.enabled) return 'The rule was disabled before the message was sent.';
    if (isMissedSchedules(about)) return this.missed.of(tx, rule, delivery, about.missed);
    const readers = await this.findReaders(tx, rule, delivery);
    if (readers === 'gone') return 'The environment was deleted before the message was sent.';
    if (readers && !(rule.ownerId !== null && readers.has(rule.ownerId)))
      return environmentId === null
        ? `${rule.ownerName}, who saved the rule last, is no longer an admin. An admin can save the rule again.`
        : `${rule.ownerName}, who saved the rule last, can no longer see the environment. A member who can see it can save the rule again.`;
    const notice = await this.createNotice(tx, rule, delivery);
    if (typeof notice === 'string') return notice;
    const to = await destinationOfRule(tx, this.vault, rule, readers);
    const message = createMessage(notice);
    const left = withoutReached(to, new Set(delivery.reached));
    return [{ to: left, sending: { id: delivery.id, thread: delivery.executionId, ruleName: rule.name, message } }];
  }

  private async findReaders(
    tx: EntityManager,
    { tenantId, ownerId, channel }: NotificationRule,
    { event, environmentId }: ClaimedDelivery,
  ): Promise<Readers | 'gone' | null> {
    const members = filterMemberIds(channel.to ?? []);
    const candidateIds = ownerId === null ? members : [ownerId, ...members];
    if (environmentId === null) return event === 'webhook.disabled' ? findAdmins(tx, tenantId, candidateIds) : null;
    const rights = await this.environments.readRights(tx, tenantId, environmentId, candidateIds);
    return rights ? toMembersWithAccess(rights) : 'gone';
  }

  private async createNotice(
    tx: EntityManager,
    rule: NotificationRule,
    delivery: ClaimedDelivery,
  ): Promise<Notice | string> {
    const { publicUrl } = this.runtime.settings;
    const { tenantId, event, executionId, cause, about } = delivery;
    if (event === 'summary') {
      const rows = await countOmitted(tx, tenantId, rule.id, cause);
      const counts = rows.flatMap(({ event: each, count }): [NotificationEvent, number][] =>
        isNotificationEvent(each) ? [[each, count]] : [],
      );
      return { event, ruleName: rule.name, counts, url: `${publicUrl}/executions` };
    }
    if (event === 'schedule.failed' || event === 'webhook.disabled' || event === 'environment.protection_changed')
      return (about && createServiceNotice(event, about)) ?? 'The content of the message was not stored.';
    const run = executionId === null ? null : await this.runs.loadRunNotice(tx, tenantId, executionId);
    if (!run || executionId === null) return 'The run was deleted before the message was sent.';
    const more = {
      failedBefore: event === 'execution.recovered' ? await findPreviousFailureTime(tx, tenantId, executionId) : null,
      unknownHosts:
        event === 'execution.results_unknown'
          ? await this.runs.findUnknownHosts(tx, executionId)
          : { names: [], more: 0 },
    };
    return createRunNotice(event, run, more, publicUrl);
  }
}
