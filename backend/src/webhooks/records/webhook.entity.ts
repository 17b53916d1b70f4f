import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';
import { ReasonCode } from '../../common/errors/reason-codes.js';

/** Why a webhook is disabled: by a member, by a response 410, or after a week without a successful delivery. */
export const DISABLED_CODES = ['person', 'gone', 'failing'] as const;
export type DisabledCode = (typeof DISABLED_CODES)[number];

/** This entity does not select the secrets. */
@Entity('webhooks')
export class Webhook {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('text') name: string;
  @Column('text') url: string;
  @Column('text', { array: true }) events: string[];
  /** Null = all environments that the owner can see. */
  @Column('uuid', { name: 'environment_ids', array: true, nullable: true }) environmentIds: string[] | null;
  @Column('boolean') enabled: boolean;
  @Column('text', { name: 'disabled_code', nullable: true }) disabledCode: DisabledCode | null;
  @Column('timestamptz', { name: 'disabled_at', nullable: true }) disabledAt: Date | null;
  /** Deliveries are limited to what this member can see. The member may have been deleted. */
  @Column('uuid', { name: 'owner_id' }) ownerId: string;
  @Column('text', { name: 'owner_name' }) ownerName: string;
  @Column('bytea', { name: 'sealed_secret', select: false }) sealedSecret: Buffer;
  @Column('integer', { name: 'secret_version' }) secretVersion: number;
  @Column('bytea', { name: 'sealed_old_secret', nullable: true, select: false }) sealedOldSecret: Buffer | null;
  @Column('integer', { name: 'old_secret_version' }) oldSecretVersion: number;
  @Column('timestamptz', { name: 'old_secret_until', nullable: true }) oldSecretUntil: Date | null;
  @Column('timestamptz', { name: 'not_before', nullable: true }) notBefore: Date | null;
  @Column('timestamptz', { name: 'failing_since', nullable: true }) failingSince: Date | null;
  @Column('timestamptz', { name: 'delivered_at', nullable: true }) deliveredAt: Date | null;
  @Column('timestamptz', { name: 'failed_at', nullable: true }) failedAt: Date | null;
  @Column('integer', { name: 'failed_status', nullable: true }) failedStatus: number | null;
  @Column('text', { name: 'failed_code', nullable: true }) failedCode: ReasonCode | null;
  @Column('text', { name: 'failed_message', nullable: true }) failedMessage: string | null;
  @Column('bigint') dropped: string;
  @Column('timestamptz', { name: 'dropped_at', nullable: true }) droppedAt: Date | null;
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', insert: false, update: false }) updatedAt: Date;
  @VersionColumn() version: number;
}
