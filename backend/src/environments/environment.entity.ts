import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';
import type { EnvironmentAccess } from './grant-policy.js';
import type { UnknownAuthors } from './protection/unknown-authors.js';
import type { RunWindows } from './windows/run-windows.js';

/** A named set of servers. */
@Entity('environments')
export class Environment {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('text') name: string;
  @Column('text') description: string;
  /** `open`: every member sees it. `restricted`: members with a grant, and admins. */
  @Column('text') access: EnvironmentAccess;
  /** Runs need approval here. */
  @Column('boolean') protected: boolean;
  @Column('integer', { name: 'required_approvals' }) requiredApprovals: number;
  @Column('boolean', { name: 'allow_self_approval' }) allowSelfApproval: boolean;
  @Column('integer', { name: 'approval_ttl_seconds' }) approvalTtlSeconds: number;
  /** Whether runs start whose git content has authors that no member's e-mail address names. */
  @Column('text', { name: 'unknown_authors' }) unknownAuthors: UnknownAuthors;
  /** How long a change that weakens the protection waits where no other member may agree to it, in seconds. */
  @Column('integer', { name: 'protection_delay_seconds', default: 86_400 }) protectionDelaySeconds: number;
  /** Modes that a start may use; empty: all. */
  @Column('text', { name: 'allowed_modes', array: true }) allowedModes: string[];
  /** Whether hosts keep a journal of the commands that run there. */
  @Column('boolean', { name: 'host_journal' }) hostJournal: boolean;
  /** How often each server is checked; null: not by itself. */
  @Column('integer', { name: 'check_interval_seconds', nullable: true }) checkIntervalSeconds: number | null;
  /** When runs may begin; null: at any time. */
  @Column('jsonb', { name: 'run_windows', nullable: true }) runWindows: RunWindows | null;
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', insert: false, update: false }) updatedAt: Date;
  @VersionColumn() version: number;
}
