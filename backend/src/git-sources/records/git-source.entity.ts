import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';
import type { HostKey } from '../../transport/keys/host-key.js';

export const GIT_SOURCE_STATES = ['new', 'ready', 'failed', 'host_key_unknown', 'host_key_changed'] as const;
export type GitSourceState = (typeof GIT_SOURCE_STATES)[number];

/** Sealed columns are not selected by default. */
@Entity('git_sources')
export class GitSource {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('text') name: string;
  @Column('text') description: string;
  @Column('text') url: string;
  /** Null: the default branch (HEAD) of the remote. */
  @Column('text', { nullable: true }) branch: string | null;
  @Column('uuid', { name: 'ssh_key_id', nullable: true }) sshKeyId: string | null;
  @Column('bytea', { name: 'sealed_token', nullable: true, select: false }) sealedToken: Buffer | null;
  /** User name for the token; null: no token. */
  @Column('text', { name: 'token_user', nullable: true }) tokenUser: string | null;
  @Column('integer', { name: 'token_version' }) tokenVersion: number;
  @Column('text', { name: 'host_key_fingerprint', nullable: true }) hostKeyFingerprint: string | null;
  @Column('jsonb', { name: 'host_key', nullable: true }) hostKey: HostKey | null;
  @Column('jsonb', { name: 'seen_host_key', nullable: true }) seenHostKey: HostKey | null;
  @Column('integer', { name: 'sync_every_seconds', nullable: true }) syncEverySeconds: number | null;
  @Column('bytea', { name: 'sealed_webhook_secret', nullable: true, select: false }) sealedWebhookSecret: Buffer | null;
  /** 0: no secret is set. */
  @Column('integer', { name: 'webhook_version' }) webhookVersion: number;
  @Column('text') state: GitSourceState;
  @Column('text', { name: 'head_branch', nullable: true }) headBranch: string | null;
  @Column('text', { nullable: true }) commit: string | null;
  @Column('timestamptz', { name: 'synced_at', nullable: true }) syncedAt: Date | null;
  @Column('integer', { nullable: true }) files: number | null;
  @Column('bigint', { nullable: true }) bytes: string | null;
  @Column('integer', { name: 'left_out_refs' }) leftOutRefs: number;
  @Column('text', { name: 'error_code', nullable: true }) errorCode: string | null;
  @Column('text', { nullable: true }) error: string | null;
  @Column('timestamptz', { name: 'tried_at', nullable: true }) triedAt: Date | null;
  @Column('timestamptz', { name: 'requested_at', nullable: true }) requestedAt: Date | null;
  @Column('timestamptz', { name: 'due_at', nullable: true }) dueAt: Date | null;
  @Column('integer') epoch: number;
  @Column('timestamptz', { name: 'lease_until', nullable: true }) leaseUntil: Date | null;
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', insert: false, update: false }) updatedAt: Date;
  @VersionColumn() version: number;
}
