import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';
import type { TokenAccess } from '../../common/access/caller-limits.js';

@Entity('oidc_trust_rules')
export class TrustRule {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('text') name: string;
  @Column('text') issuer: string;
  @Column('text') audience: string;
  /** Pattern in which `*` matches any characters. */
  @Column('text') subject: string;
  /** Patterns of further claims, by name. */
  @Column('jsonb') claims: Record<string, string>;
  @Column('uuid', { name: 'user_id' }) userId: string;
  @Column('text') access: TokenAccess;
  @Column('uuid', { name: 'environment_ids', array: true, nullable: true }) environmentIds: string[] | null;
  @Column('uuid', { name: 'plan_ids', array: true, nullable: true }) planIds: string[] | null;
  @Column('integer', { name: 'token_lifetime_seconds' }) tokenLifetimeSeconds: number;
  @Column('boolean') enabled: boolean;
  @Column({ type: 'timestamptz', name: 'last_used_at', nullable: true, insert: false, update: false })
  lastUsedAt: Date | null;
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', insert: false, update: false }) updatedAt: Date;
  @VersionColumn() version: number;
}
