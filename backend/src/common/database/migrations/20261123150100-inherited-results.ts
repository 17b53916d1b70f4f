import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

/** What a rerun takes over from the run that it continues: it is frozen with the run, and its digest covers it. */
export class InheritedResults20261123150100 implements MigrationInterface {
  name = 'InheritedResults20261123150100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table inherited_results (
        tenant_id uuid not null,
        execution_id uuid not null,
        step_index integer not null,
        -- Of a step that runs once, a server that the run itself need not have.
        server_id uuid not null,
        status text not null,
        exit_code integer,
        changed boolean not null,
        outputs jsonb,
        -- The host does not run the step again.
        done boolean not null,
        -- Whose result it is, and of which step there.
        from_execution_id uuid not null,
        from_step integer not null,
        primary key (execution_id, step_index, server_id),
        foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
      );
    `);
    // Frozen: it only goes when its run goes, by the foreign key's cascade.
    await protectTenantTable(runner, 'inherited_results', 'select, insert, delete');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
