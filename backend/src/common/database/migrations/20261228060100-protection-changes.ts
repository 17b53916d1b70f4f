import type { MigrationInterface, QueryRunner } from 'typeorm';
import { closeToOlderCode } from './close-to-older-code.js';
import { protectTenantTable } from './tenant-table.js';

export class ProtectionChanges20261228060100 implements MigrationInterface {
  name = 'ProtectionChanges20261228060100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table environments add column protection_delay_seconds integer not null default 86400;

      create table protection_changes (
        id uuid primary key,
        tenant_id uuid not null,
        environment_id uuid not null,
        state text not null default 'open' check (state in ('open', 'applied', 'rejected', 'withdrawn', 'expired')),
        -- {setting: {from, to}}
        settings jsonb not null,
        reason text not null,
        is_override boolean not null default false,
        requested_by uuid not null,
        requested_by_name text not null,
        requested_at timestamptz not null default now(),
        -- From then on the requester may apply it alone; null = needs a second person.
        effective_at timestamptz,
        expires_at timestamptz not null,
        decided_by uuid,
        decided_by_name text,
        decided_at timestamptz,
        comment text,
        unique (tenant_id, id),
        foreign key (tenant_id, environment_id) references environments (tenant_id, id) on delete cascade
      );
      create unique index protection_changes_open on protection_changes (tenant_id, environment_id)
        where state = 'open';
      create index protection_changes_overrides on protection_changes (tenant_id, environment_id, requested_at)
        where is_override;
      create index protection_changes_environment on protection_changes (tenant_id, environment_id, id desc);
    `);
    await protectTenantTable(runner, 'protection_changes');
    // Older code would weaken the protection immediately.
    await closeToOlderCode(runner, 3);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
