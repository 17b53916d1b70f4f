import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';
import type { HostKey } from '../transport/host-key.js';

/** What the last connection check of a server found. */
export interface ServerCheck {
  at: string;
  state: 'reachable' | 'host_key_unknown' | 'host_key_changed' | 'login_refused' | 'unreachable';
  message: string;
}

/** A registered host; belongs to exactly one environment. */
@Entity('servers')
export class Server {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('uuid', { name: 'environment_id' }) environmentId: string;
  @Column('text') name: string;
  @Column('text') hostname: string;
  @Column('integer') port: number;
  @Column('text') username: string;
  @Column('uuid', { name: 'ssh_key_id' }) sshKeyId: string;
  @Column('jsonb') tags: Record<string, string>;
  @Column('boolean') enabled: boolean;
  /** The pinned host key; null until a person accepted one. */
  @Column('jsonb', { name: 'host_key', nullable: true }) hostKey: HostKey | null;
  /** The key that the host showed at the last check. */
  @Column('jsonb', { name: 'seen_host_key', nullable: true }) seenHostKey: HostKey | null;
  @Column('jsonb', { name: 'last_check', nullable: true }) lastCheck: ServerCheck | null;
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', insert: false, update: false }) updatedAt: Date;
  @VersionColumn() version: number;
}
