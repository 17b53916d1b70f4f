import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Page of the dashboard that a member has marked. */
@Entity('bookmarks')
export class Bookmark {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('uuid', { name: 'user_id' }) userId: string;
  @Column('text') name: string;
  @Column('text') path: string;
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
}
