import type { MigrationInterface, QueryRunner } from 'typeorm';

export class KnownPlaces20261123110000 implements MigrationInterface {
  name = 'KnownPlaces20261123110000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Devices and networks that a member signed in from. Read before the tenant is known, also for accounts that do
      -- not exist, so the table belongs to no tenant and has no references. It stores only hashes: of a device's
      -- secret, or of a network's address.
      create table known_places (
        user_id uuid not null,
        kind text not null check (kind in ('device', 'network')),
        key bytea not null check (octet_length(key) = 32),
        -- Whether a later sign-in came from it.
        returned boolean not null default false,
        last_used_at timestamptz not null default now(),
        primary key (user_id, kind, key)
      );
      create index known_places_age on known_places (last_used_at);
      grant select, insert, update, delete on known_places to runward_app;

      -- Owner of the counter when the key contains more: hash of an account name or of a member id.
      alter table login_throttle add column owner bytea;
      create index login_throttle_owner on login_throttle (owner) where owner is not null;
      -- Time of the next allowed attempt from there, while one account is under attack from many places.
      alter table login_throttle add column slot_at timestamptz;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
