import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';
import type { MemberKind } from './member-kind.js';
import type { Role } from '../../common/access/principal.js';

@Entity('users')
export class User {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('text') email: string;
  @Column('text') name: string;
  @Column('text') role: Role;
  @Column('text', { default: 'person' }) kind: MemberKind;
  @Column('text', { default: '' }) description: string;
  /** PHC string; null = no password set. Not selected by default. */
  @Column('text', { name: 'password_hash', nullable: true, select: false }) passwordHash: string | null;
  @Column({ type: 'timestamptz', name: 'disabled_at', nullable: true }) disabledAt: Date | null;
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
  @VersionColumn() version: number;
}
