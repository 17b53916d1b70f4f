import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The code lists the channels, so a new one needs no migration. */
export class NotificationChannelTypes20261127234500 implements MigrationInterface {
  name = 'NotificationChannelTypes20261127234500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table notification_rules drop constraint if exists notification_rules_channel_type_check',
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
