import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';
import type { EnvironmentAccess } from './grant-policy.js';
import type { UnknownAuthors } from './protection/unknown-authors.js';
import type { RunWindows } from './windows/run-windows.js';

@Entity('environments')
export class Environment {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('text') name: string;
  @Column('text') description: string;
  /** `open`: visible to every member. `restricted`: visible to admins and members with a grant. */
  @Column('text') access: EnvironmentAccess;
  @Column('boolean') protected: boolean;
  @Column('integer', { name: 'required_approvals' }) requiredApprovals: number;
  @Column('boolean', { name: 'allow_self_approval' }) allowSelfApproval: boolean;
  @Column('integer', { name: 'approval_ttl_seconds' }) approvalTtlSeconds: number;
  /** Whether runs may start if an author of their git content matches no member's e-mail address. */
  @Column('text', { name: 'unknown_authors' }) unknownAuthors: UnknownAuthors;
  /** Delay of a change that weakens the protection, in seconds. Applies if no other member can agree to the change. */
  @Column('integer', { name: 'protection_delay_seconds', default: 86_400 }) protectionDelaySeconds: number;
  /** Empty = all. */
  @Column('text', { name: 'allowed_modes', array: true }) allowedModes: string[];
  @Column('boolean', { name: 'host_journal' }) hostJournal: boolean;
  /** Interval between automatic checks of each server, in seconds; null = no automatic checks. */
  @Column('integer', { name: 'check_interval_seconds', nullable: true }) checkIntervalSeconds: number | null;
  /** Times in which runs may begin; null = any time. */
  @Column('jsonb', { name: 'run_windows', nullable: true }) runWindows: RunWindows | null;
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', insert: false, update: false }) updatedAt: Date;
  @VersionColumn() version: number;
}
