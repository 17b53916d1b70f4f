import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';

export interface RevisionOrigin {
  gitSourceId: string;
  sourceName: string;
  path: string;
  commit: string;
}

@Entity('plans')
export class Plan {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('text') name: string;
  @Column('text') description: string;
  @Column('uuid', { name: 'environment_id', nullable: true }) environmentId: string | null;
  @Column('uuid', { name: 'collection_id', nullable: true }) collectionId: string | null;
  @Column('integer') revision: number;
  /** Folder, source and file of the plan, and the last commit that changed the file; all null = not from git. */
  @Column('uuid', { name: 'git_folder_id', nullable: true }) gitFolderId: string | null;
  @Column('uuid', { name: 'git_source_id', nullable: true }) gitSourceId: string | null;
  @Column('text', { name: 'git_path', nullable: true }) gitPath: string | null;
  @Column('text', { name: 'git_commit', nullable: true }) gitCommit: string | null;
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', insert: false, update: false }) updatedAt: Date;
  @VersionColumn() version: number;
}

@Entity('plan_revisions')
export class PlanRevision {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('uuid', { name: 'plan_id' }) planId: string;
  @Column('integer') number: number;
  /** Must be read with `readPlanContent`. */
  @Column('jsonb') content: object;
  /** YAML text that was saved, with comments; null = saved by fields. Only `readLastSource` reads it. */
  @Column('text', { name: 'source_text', nullable: true, select: false }) sourceText: string | null;
  /** Reason for the save; null = none. */
  @Column('text', { nullable: true }) message: string | null;
  /** Null = saved by a sync of a git source, and no member has the e-mail address of the commit. */
  @Column('uuid', { name: 'created_by', nullable: true }) createdBy: string | null;
  /** File from which a sync saved the revision; null = saved by a member. */
  @Column('jsonb', { name: 'git_origin', nullable: true }) gitOrigin: RevisionOrigin | null;
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
}
