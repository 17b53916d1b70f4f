import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SyncCounts } from '../../git-sources/records/plan-folders.js';
import type { InvalidFile, KeptPlan, ReportedPlan } from './folder-report.js';

@Entity('plan_folder_syncs')
export class PlanFolderSync {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('uuid', { name: 'git_source_id' }) gitSourceId: string;
  @Column('text') commit: string;
  @Column('text', { nullable: true }) error: string | null;
  @Column('jsonb') counts: SyncCounts;
  @Column('jsonb') created: ReportedPlan[];
  @Column('jsonb') changed: ReportedPlan[];
  @Column('jsonb') removed: ReportedPlan[];
  @Column('jsonb') kept: KeptPlan[];
  @Column('jsonb') invalid: InvalidFile[];
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
}
