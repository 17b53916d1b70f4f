import type { TokenAccess } from '../../common/access/caller-limits.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A bearer token that acts as its user. Only a hash of its secret is kept (spec, Authentication 4). */
@Entity('api_tokens')
export class ApiToken {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('uuid', { name: 'user_id' }) userId: string;
  /** The token that this one was made with. */
  @Column('uuid', { name: 'parent_token_id', nullable: true }) parentTokenId: string | null;
  @Column('text') name: string;
  @Column('text') prefix: string;
  @Column('bytea', { name: 'secret_hash', select: false }) secretHash: Buffer;
  /** What it lets its holder do. */
  @Column('text') access: TokenAccess;
  /** Environments that it is narrowed to; null: all that its user sees. */
  @Column('uuid', { name: 'scope_environment_ids', array: true, nullable: true }) environmentIds: string[] | null;
  /** The same of plans. */
  @Column('uuid', { name: 'scope_plan_ids', array: true, nullable: true }) planIds: string[] | null;
  /** Given in exchange for a token of an identity provider, or made with one that was. */
  @Column('boolean') exchanged: boolean;
  /** The trust rule that it was given by; null: none, or one that was deleted. */
  @Column('uuid', { name: 'trust_rule_id', nullable: true }) trustRuleId: string | null;
  /** Members to whom its secret was shown, or that of a token that it was made with. */
  @Column('uuid', { name: 'held_by', array: true }) heldBy: string[];
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'expires_at', nullable: true }) expiresAt: Date | null;
  @Column({ type: 'timestamptz', name: 'revoked_at', nullable: true }) revokedAt: Date | null;
  @Column({ type: 'timestamptz', name: 'last_used_at', nullable: true }) lastUsedAt: Date | null;
  @Column('text', { name: 'last_used_address', nullable: true }) lastUsedAddress: string | null;
}
