import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';
import type { StoredChannel } from '../channels/channel.js';
import type { ChannelType } from '../channels/channel-list.js';
import type { NotificationEvent } from '../messages/notification-events.js';

/** The encrypted column is never selected by default. */
@Entity('notification_rules')
export class NotificationRule {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('text') name: string;
  @Column('boolean') enabled: boolean;
  @Column('text', { name: 'channel_type' }) channelType: ChannelType;
  @Column('jsonb') channel: StoredChannel;
  @Column('bytea', { name: 'sealed_secret', nullable: true, select: false }) sealedSecret: Buffer | null;
  /** 0: the secret was never set. Each change and removal increases the version. */
  @Column('integer', { name: 'secret_version' }) secretVersion: number;
  @Column('text', { array: true }) events: NotificationEvent[];
  @Column('uuid', { name: 'environment_ids', array: true, nullable: true }) environmentIds: string[] | null;
  @Column('uuid', { name: 'plan_ids', array: true, nullable: true }) planIds: string[] | null;
  @Column('uuid', { name: 'created_by', nullable: true }) createdBy: string | null;
  /** Member who last saved the rule; null: the member was removed. */
  @Column('uuid', { name: 'owner_id', nullable: true }) ownerId: string | null;
  @Column('text', { name: 'owner_name' }) ownerName: string;
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', insert: false, update: false }) updatedAt: Date;
  @VersionColumn() version: number;
}
