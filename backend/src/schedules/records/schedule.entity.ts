import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';
import type { ReasonCode } from '../../common/errors/reason-codes.js';
import type { CallerLimits } from '../../common/access/caller-limits.js';
import type { VariableValue } from '../../variables/variable-value.js';
import type { ExecutionMode } from '../../executions/lifecycle/statuses.js';
import type { OnMissed } from '../timing/due-work.js';

export const ON_OVERLAP = ['skip', 'queue'] as const;
export type OnOverlap = (typeof ON_OVERLAP)[number];

export const FIRE_OUTCOMES = ['started', 'skipped', 'missed', 'refused'] as const;
export type FireOutcome = (typeof FIRE_OUTCOMES)[number];

@Entity('schedules')
export class Schedule {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('text') name: string;
  @Column('text', { nullable: true }) note: string | null;
  @Column('uuid', { name: 'plan_id' }) planId: string;
  @Column('uuid', { name: 'environment_id' }) environmentId: string;
  @Column('text', { name: 'execution_mode' }) executionMode: ExecutionMode;
  /** Plain values. Secret values are sealed together in another column. */
  @Column('jsonb') variables: Record<string, VariableValue>;
  @Column('text', { name: 'secret_names', array: true }) secretNames: string[];
  @Column('bytea', { name: 'sealed_variables', nullable: true, select: false }) sealedVariables: Buffer | null;
  @Column('integer', { name: 'sealed_version' }) sealedVersion: number;
  @Column('text') targets: string;
  @Column('jsonb') labels: Record<string, string>;
  @Column('text', { nullable: true }) cron: string | null;
  @Column('integer', { name: 'every_seconds', nullable: true }) everySeconds: number | null;
  @Column('timestamptz', { name: 'every_from' }) everyFrom: Date;
  @Column('text', { name: 'time_zone' }) timeZone: string;
  @Column('integer', { name: 'jitter_seconds' }) jitterSeconds: number;
  @Column('text', { name: 'on_overlap' }) onOverlap: OnOverlap;
  @Column('text', { name: 'on_missed' }) onMissed: OnMissed;
  @Column('boolean') enabled: boolean;
  @Column('text', { name: 'paused_reason', nullable: true }) pausedReason: string | null;
  @Column('text', { name: 'paused_code', nullable: true }) pausedCode: ReasonCode | null;
  /** Null = Runward, or unknown. */
  @Column('uuid', { name: 'paused_by', nullable: true }) pausedBy: string | null;
  @Column('text', { name: 'paused_by_name', nullable: true }) pausedByName: string | null;
  @Column('timestamptz', { name: 'paused_at', nullable: true }) pausedAt: Date | null;
  /** Member whose rights the runs have; null = the member was removed. */
  @Column('uuid', { name: 'owner_id', nullable: true }) ownerId: string | null;
  @Column('text', { name: 'owner_name' }) ownerName: string;
  /** Members who saw the token with which the owner saved the schedule. They also count as requesters of its runs. */
  @Column('uuid', { name: 'owner_held_by', array: true }) ownerHeldBy: string[];
  /** Restrictions of the token with which the owner saved the schedule. They apply to its runs; null = none. */
  @Column('jsonb', { name: 'owner_limits', nullable: true }) ownerLimits: CallerLimits | null;
  /** When the owner saved the content. Each start checks later changes by other authors. */
  @Column('timestamptz', { name: 'vouched_at' }) vouchedAt: Date;
  /** Next occurrence without jitter. `dueAt` includes the jitter. */
  @Column('timestamptz', { name: 'next_at', nullable: true }) nextAt: Date | null;
  @Column('timestamptz', { name: 'due_at', nullable: true }) dueAt: Date | null;
  @Column('timestamptz', { name: 'last_at', nullable: true }) lastAt: Date | null;
  @Column('text', { name: 'last_outcome', nullable: true }) lastOutcome: FireOutcome | null;
  @Column('text', { name: 'last_code', nullable: true }) lastCode: ReasonCode | null;
  @Column('text', { name: 'last_text', nullable: true }) lastText: string | null;
  @Column('uuid', { name: 'last_execution_id', nullable: true }) lastExecutionId: string | null;
  /** Last reported reason why the schedule started nothing; null = none since its last start or change of owner. */
  @Column('text', { name: 'told_code', nullable: true }) toldCode: ReasonCode | null;
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', insert: false, update: false }) updatedAt: Date;
  /** Incremented by changes of members, not by fires. */
  @VersionColumn() version: number;
}
