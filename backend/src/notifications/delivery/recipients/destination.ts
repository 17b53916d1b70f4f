import type { EntityManager } from 'typeorm';
import type { Destination } from '../../channels/channel.js';
import { type ChannelType, hasRecipients } from '../../channels/channel-list.js';
import type { NotificationRule } from '../../records/notification-rule.entity.js';
import type { RuleVault } from '../../records/rule-vault.js';
import { listMailAddresses, type Readers } from './recipients.js';

export type Channel = Pick<NotificationRule, 'channelType' | 'channel'>;

/**
 * @param secret webhook address or token; null: none
 * @param readers members who may see the content; null: all
 */
export async function findDestination(
  tx: EntityManager,
  tenantId: string,
  { channelType, channel }: Channel,
  secret: string | null,
  readers: Readers | null,
): Promise<Destination<ChannelType>> {
  const recipients = hasRecipients(channelType)
    ? await listMailAddresses(tx, tenantId, channel.to ?? [], readers)
    : null;
  return { type: channelType, channel, secret, recipients };
}

export const destinationOfRule = async (
  tx: EntityManager,
  vault: RuleVault,
  rule: NotificationRule,
  readers: Readers | null,
): Promise<Destination<ChannelType>> => findDestination(tx, rule.tenantId, rule, await vault.secret(tx, rule), readers);

/** Returns the destination without recipients that an earlier attempt reached. */
export const withoutReached = <To extends Destination>(to: To, reached: ReadonlySet<string>): To => ({
  ...to,
  recipients: to.recipients && to.recipients.filter((address) => !reached.has(address)),
});
