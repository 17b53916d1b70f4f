import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';

@Entity('collections')
export class Collection {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('text') name: string;
  @Column('text') description: string;
  @Column('uuid', { name: 'parent_id', nullable: true }) parentId: string | null;
  @Column('text', { name: 'freeze_reason', nullable: true }) freezeReason: string | null;
  @Column('timestamptz', { name: 'freeze_from', nullable: true }) freezeFrom: Date | null;
  @Column('timestamptz', { name: 'freeze_until', nullable: true }) freezeUntil: Date | null;
  @Column('uuid', { name: 'freeze_by', nullable: true }) freezeBy: string | null;
  @Column('text', { name: 'freeze_by_name', nullable: true }) freezeByName: string | null;
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', insert: false, update: false }) updatedAt: Date;
  @VersionColumn() version: number;
}
