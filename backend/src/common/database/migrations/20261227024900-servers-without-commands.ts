import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ServersWithoutCommands20261227024900 implements MigrationInterface {
  name = 'ServersWithoutCommands20261227024900';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table servers drop constraint servers_state_known;
      alter table servers add constraint servers_state_known check (state in ('unchecked', 'reachable', 'host_key_unknown',
        'host_key_accepted', 'host_key_changed', 'login_refused', 'no_commands', 'protected_host', 'unreachable'));
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
