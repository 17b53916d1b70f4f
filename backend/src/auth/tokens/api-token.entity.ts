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
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'expires_at', nullable: true }) expiresAt: Date | null;
  @Column({ type: 'timestamptz', name: 'revoked_at', nullable: true }) revokedAt: Date | null;
  @Column({ type: 'timestamptz', name: 'last_used_at', nullable: true }) lastUsedAt: Date | null;
  @Column('text', { name: 'last_used_address', nullable: true }) lastUsedAddress: string | null;
}
