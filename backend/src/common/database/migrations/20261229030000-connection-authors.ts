import type { MigrationInterface, QueryRunner } from 'typeorm';
import { closeToOlderCode } from './close-to-older-code.js';

/**
 * Authors of host keys, jump servers and SSH keys. Excludes older code, which would let these authors approve their own
 * changes.
 */
export class ConnectionAuthors20261229030000 implements MigrationInterface {
  name = 'ConnectionAuthors20261229030000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table approval_authors drop constraint approval_authors_kind_check;
      alter table approval_authors add constraint approval_authors_kind_check
        check (kind in ('plan', 'script', 'template', 'git_commit', 'git_source', 'environment_variable', 'server_variable',
          'server_tag', 'server', 'host_key', 'jump_server', 'ssh_key', 'token', 'schedule', 'schedule_token'));
    `);
    await closeToOlderCode(runner, 5);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
