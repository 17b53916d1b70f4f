import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';

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
  @Column('uuid', { name: 'created_by' }) createdBy: string;
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
}
