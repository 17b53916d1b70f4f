import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';

/** Managed SSH key. The private part is sealed, and not selected by default. */
@Entity('ssh_keys')
export class SshKey {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('text') name: string;
  @Column('text') type: string;
  @Column('text', { name: 'public_key' }) publicKey: string;
  @Column('text') fingerprint: string;
  @Column('text', { nullable: true }) certificate: string | null;
  @Column('bytea', { name: 'sealed_private_key', select: false }) sealedPrivateKey: Buffer;
  @Column({ type: 'timestamptz', name: 'last_used_at', nullable: true, insert: false }) lastUsedAt: Date | null;
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', insert: false, update: false }) updatedAt: Date;
  @VersionColumn() version: number;
}
