import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';

/** The file of a git source that a revision was saved from. */
export interface RevisionOrigin {
  gitSourceId: string;
  sourceName: string;
  path: string;
  commit: string;
}

/** A plan: its name and the number of its latest revision. */
@Entity('plans')
export class Plan {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('text') name: string;
  @Column('text') description: string;
  @Column('uuid', { name: 'environment_id', nullable: true }) environmentId: string | null;
  @Column('uuid', { name: 'collection_id', nullable: true }) collectionId: string | null;
  @Column('integer') revision: number;
  /** The folder, the source and the file in it that the plan comes from, and the commit that changed it last; null: none. */
  @Column('uuid', { name: 'git_folder_id', nullable: true }) gitFolderId: string | null;
  @Column('uuid', { name: 'git_source_id', nullable: true }) gitSourceId: string | null;
  @Column('text', { name: 'git_path', nullable: true }) gitPath: string | null;
  @Column('text', { name: 'git_commit', nullable: true }) gitCommit: string | null;
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', insert: false, update: false }) updatedAt: Date;
  @VersionColumn() version: number;
}

/** One saved state of a plan's content; never changed. */
@Entity('plan_revisions')
export class PlanRevision {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('uuid', { name: 'plan_id' }) planId: string;
  @Column('integer') number: number;
  /** To be read through `readPlanContent`. */
  @Column('jsonb') content: object;
  /** The text that it was saved as, with its comments; null: it was saved by its fields. Read by `lastSource` only. */
  @Column('text', { name: 'source_text', nullable: true, select: false }) sourceText: string | null;
  /** Why it was saved; null: nothing was said. */
  @Column('text', { nullable: true }) message: string | null;
  /** Null: a sync of a git source saved it, and no member is known by the e-mail address of the commit. */
  @Column('uuid', { name: 'created_by', nullable: true }) createdBy: string | null;
  /** What a sync of a git source saved it from; null: a member saved it. */
  @Column('jsonb', { name: 'git_origin', nullable: true }) gitOrigin: RevisionOrigin | null;
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
}
