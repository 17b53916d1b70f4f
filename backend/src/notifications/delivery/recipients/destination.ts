import type { EntityManager } from 'typeorm';
import type { NotificationRule } from '../../records/notification-rule.entity.js';
import type { RuleVault } from '../../records/rule-vault.js';
import type { Destination } from '../../sending/channel-sender.js';
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
): Promise<Destination> {
  switch (channelType) {
    case 'email':
      return { type: 'email', to: await listMailAddresses(tx, tenantId, channel.to ?? [], readers) };
    case 'slack':
    case 'teams':
      return { type: channelType, url: secret };
    case 'ntfy':
      return { type: 'ntfy', url: channel.url ?? '', topic: channel.topic ?? '', token: secret };
  }
}

export const destinationOfRule = async (
  tx: EntityManager,
  vault: RuleVault,
  rule: NotificationRule,
  readers: Readers | null,
): Promise<Destination> => findDestination(tx, rule.tenantId, rule, await vault.secret(tx, rule), readers);
