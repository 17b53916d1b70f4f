import type { MigrationInterface, QueryRunner } from 'typeorm';
import { closeToOlderCode } from './close-to-older-code.js';
import { protectTenantTable } from './tenant-table.js';

/**
 * Who gave a right to a member, and when last. If one of two members recently gave a right to the other, they are not
 * independent, so they cannot decide together.
 */
export class GivenRights20261228060000 implements MigrationInterface {
  name = 'GivenRights20261228060000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table given_rights (
        tenant_id uuid not null,
        user_id uuid not null,
        -- Null = applies to the whole tenant.
        environment_id uuid,
        -- membership: added or enabled again. password: created a link to set the password, and could sign in as the
        -- member.
        kind text not null check (kind in ('membership', 'role', 'password', 'grant')),
        given_by uuid not null,
        given_by_name text not null,
        given_at timestamptz not null default now(),
        foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade,
        foreign key (tenant_id, environment_id) references environments (tenant_id, id) on delete cascade,
        unique nulls not distinct (tenant_id, user_id, environment_id, kind, given_by)
      );
      create index given_rights_environment on given_rights (tenant_id, environment_id) where environment_id is not null;
    `);
    await protectTenantTable(runner, 'given_rights');
    // Older code would let dependent members approve together.
    await closeToOlderCode(runner, 2);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
