import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Signed-in browser. The cookie contains the secret; the database contains only its hash. */
@Entity('sessions')
export class Session {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('uuid', { name: 'user_id' }) userId: string;
  @Column('bytea', { name: 'secret_hash', select: false }) secretHash: Buffer;
  @Column('text') address: string;
  @Column('text', { name: 'user_agent' }) userAgent: string;
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
  /** Precision: one minute. */
  @Column({ type: 'timestamptz', name: 'last_seen_at', insert: false, update: false }) lastSeenAt: Date;
  @Column({ type: 'timestamptz', name: 'expires_at' }) expiresAt: Date;
}
