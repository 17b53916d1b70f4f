import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Makes members with imports or key rotations removable. Those records keep the member's ID and name. */
export class RemovableMembers20261128100000 implements MigrationInterface {
  name = 'RemovableMembers20261128100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table inventory_imports drop constraint inventory_imports_tenant_id_created_by_fkey;
      alter table key_rotations drop constraint key_rotations_tenant_id_created_by_fkey;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
