import type { MigrationInterface, QueryRunner } from 'typeorm';

export class KeyCertificates20261125100100 implements MigrationInterface {
  name = 'KeyCertificates20261125100100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table ssh_keys add column certificate text');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
