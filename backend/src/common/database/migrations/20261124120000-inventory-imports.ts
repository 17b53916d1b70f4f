import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

export class InventoryImports20261124120000 implements MigrationInterface {
  name = 'InventoryImports20261124120000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table inventory_imports (
        id uuid primary key,
        tenant_id uuid not null references tenants (id),
        environment_id uuid not null,
        state text not null default 'pending' check (state in ('pending', 'running', 'succeeded', 'failed')),
        preview boolean not null,
        format text not null,
        source text,
        prune text not null check (prune in ('no', 'disable', 'remove')),
        prune_limit_percent integer not null,
        -- For new servers. The import checks whether the key still exists.
        ssh_key_id uuid,
        username text,
        total integer not null,
        processed integer not null default 0,
        attempts integer not null default 0,
        counts jsonb,
        not_carried jsonb not null,
        more_not_carried integer not null,
        faults jsonb not null default '[]',
        more_faults integer not null default 0,
        digest text,
        expected_digest text,
        -- Preview that the import applies. No foreign key: old imports are deleted.
        preview_id uuid,
        -- Requester, as in the audit trail.
        requested_by jsonb not null,
        created_by uuid not null,
        created_at timestamptz not null default now(),
        started_at timestamptz,
        finished_at timestamptz,
        unique (tenant_id, id),
        foreign key (tenant_id, environment_id) references environments (tenant_id, id) on delete cascade,
        foreign key (tenant_id, created_by) references users (tenant_id, id)
      );
      create index inventory_imports_environment on inventory_imports (tenant_id, environment_id, id);

      create table inventory_import_entries (
        tenant_id uuid not null references tenants (id),
        import_id uuid not null,
        position integer not null,
        line integer,
        name text not null,
        -- Content of the text for the server; null = not in the text.
        entry jsonb,
        action text,
        -- No foreign key: removed servers remain listed.
        server_id uuid,
        changes jsonb not null default '[]',
        reason text,
        primary key (tenant_id, import_id, position),
        foreign key (tenant_id, import_id) references inventory_imports (tenant_id, id) on delete cascade
      );
      create index inventory_import_entries_action on inventory_import_entries (tenant_id, import_id, action, position);
    `);
    await protectTenantTable(runner, 'inventory_imports');
    await protectTenantTable(runner, 'inventory_import_entries');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
