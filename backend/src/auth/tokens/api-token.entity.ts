import type { TokenAccess } from '../../common/access/caller-limits.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Bearer token that acts as its user. Only a hash of its secret is stored (spec, Authentication 4). */
@Entity('api_tokens')
export class ApiToken {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('uuid', { name: 'user_id' }) userId: string;
  @Column('uuid', { name: 'parent_token_id', nullable: true }) parentTokenId: string | null;
  @Column('text') name: string;
  @Column('text') prefix: string;
  @Column('bytea', { name: 'secret_hash', select: false }) secretHash: Buffer;
  @Column('text') access: TokenAccess;
  /** Environments to which the token is limited; null: all that its user can see. */
  @Column('uuid', { name: 'scope_environment_ids', array: true, nullable: true }) environmentIds: string[] | null;
  /** Plans to which the token is limited; null: all that its user can see. */
  @Column('uuid', { name: 'scope_plan_ids', array: true, nullable: true }) planIds: string[] | null;
  /** True: issued in exchange for a token of an identity provider, or created with such an exchanged token. */
  @Column('boolean') exchanged: boolean;
  /** Trust rule that issued the token; null: none, or the rule was deleted. */
  @Column('uuid', { name: 'trust_rule_id', nullable: true }) trustRuleId: string | null;
  /** Members who have seen the secret of this token, or of a token in its chain of creation. */
  @Column('uuid', { name: 'held_by', array: true }) heldBy: string[];
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'expires_at', nullable: true }) expiresAt: Date | null;
  @Column({ type: 'timestamptz', name: 'revoked_at', nullable: true }) revokedAt: Date | null;
  @Column({ type: 'timestamptz', name: 'last_used_at', nullable: true }) lastUsedAt: Date | null;
  @Column('text', { name: 'last_used_address', nullable: true }) lastUsedAddress: string | null;
}
