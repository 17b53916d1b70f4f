import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { schedulesPageUrl } from '../../common/http/web-pages.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import type { Destination, Sending } from '../channels/channel.js';
import { type ChannelType, hasRecipients } from '../channels/channel-list.js';
import { createMessage } from '../messages/message.js';
import type { Notice } from '../messages/notice.js';
import type { ClaimedDelivery } from '../records/delivery-rows.js';
import type { NotificationRule } from '../records/notification-rule.entity.js';
import { RuleVault } from '../records/rule-vault.js';
import { type Audience, groupIntoAudiences } from './recipients/audiences.js';
import { findDestination, withoutReached } from './recipients/destination.js';
import type { EnvironmentMisses } from './missed-schedules.js';
import { filterMemberIds, type Readers, toMembersWithAccess } from './recipients/recipients.js';

export interface PreparedSending {
  to: Destination<ChannelType>;
  sending: Sending;
}

/**
 * Builds messages about schedules that missed their times for one cause. Each recipient gets only schedules in
 * environments that they can see.
 */
@Injectable()
export class MissedContent {
  constructor(
    private readonly environments: EnvironmentReader,
    private readonly vault: RuleVault,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  /** @returns the messages; a string gives the reason for sending none */
  async of(
    tx: EntityManager,
    rule: NotificationRule,
    { id, reached }: ClaimedDelivery,
    missed: readonly EnvironmentMisses[],
  ): Promise<PreparedSending[] | string> {
    const { tenantId, ownerId, ownerName, channelType, channel, name: ruleName } = rule;
    const readers = await this.findReadersByEnvironment(tx, rule, missed);
    if (readers.size === 0) return 'The environments were deleted before the message was sent.';
    const seen = [...readers].flatMap(([place, who]) => (ownerId !== null && who.has(ownerId) ? [place] : []));
    if (seen.length === 0)
      return `${ownerName}, who saved the rule last, can no longer see the environments. A member who can see them can save the rule again.`;
    const all: Audience = { to: [], sees: new Set(seen) };
    const audiences = hasRecipients(channelType) ? groupIntoAudiences(channel.to ?? [], seen, readers) : [all];
    const secret = await this.vault.secret(tx, rule);
    const reachedUsers = new Set(reached);
    const prepared: PreparedSending[] = [];
    for (const { to: recipients, sees: visibleIds } of audiences.length > 0 ? audiences : [all]) {
      const channelFields = { channelType, channel: { ...channel, to: recipients } };
      const to = await findDestination(tx, tenantId, channelFields, secret, null);
      const left = withoutReached(to, reachedUsers);
      for (const address of left.recipients ?? []) reachedUsers.add(address);
      const message = createMessage(
        this.createNotice(missed.filter(({ environmentId }) => visibleIds.has(environmentId))),
      );
      prepared.push({ to: left, sending: { id, thread: null, ruleName, message } });
    }
    const addressedMessages = prepared.filter(({ to }) => to.recipients?.length !== 0);
    return addressedMessages.length > 0 ? addressedMessages : prepared.slice(0, 1);
  }

  private async findReadersByEnvironment(
    tx: EntityManager,
    { tenantId, ownerId, channel }: NotificationRule,
    missed: readonly EnvironmentMisses[],
  ): Promise<Map<string, Readers>> {
    const members = filterMemberIds(channel.to ?? []);
    const candidateIds = ownerId === null ? members : [ownerId, ...members];
    const readers = new Map<string, Readers>();
    for (const { environmentId } of missed) {
      const rights = await this.environments.readRights(tx, tenantId, environmentId, candidateIds);
      if (rights) readers.set(environmentId, toMembersWithAccess(rights));
    }
    return readers;
  }

  private createNotice(missed: readonly EnvironmentMisses[]): Notice {
    return {
      event: 'schedules_missed',
      count: missed.reduce((sum, { count }) => sum + count, 0),
      names: missed.flatMap(({ names }) => names),
      environmentNames: missed.map(({ environmentName }) => environmentName),
      earliest: new Date(missed.map(({ from }) => from).sort()[0] ?? 0),
      latest: new Date(
        missed
          .map(({ until }) => until)
          .sort()
          .at(-1) ?? 0,
      ),
      url: schedulesPageUrl(this.runtime.settings.publicUrl),
    };
  }
}
