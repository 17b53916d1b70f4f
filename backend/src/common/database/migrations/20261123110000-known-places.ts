import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where members signed in before, and delays after failed sign-ins by account and network together. */
export class KnownPlaces20261123110000 implements MigrationInterface {
  name = 'KnownPlaces20261123110000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Devices and networks that a member signed in from. Asked before any tenant is known, and alike for accounts that
      -- don't exist, so it belongs to no tenant and refers to none's records; of a place it holds a hash only: of a device's
      -- secret, or of a network's address.
      create table known_places (
        user_id uuid not null,
        kind text not null check (kind in ('device', 'network')),
        key bytea not null check (octet_length(key) = 32),
        -- Whether it was seen again after the sign-in that made it known.
        returned boolean not null default false,
        last_used_at timestamptz not null default now(),
        primary key (user_id, kind, key)
      );
      create index known_places_age on known_places (last_used_at);
      grant select, insert, update, delete on known_places to runward_app;

      -- Whose counter it is, where the key says more than that: the hash of an account's name or of a member's id.
      alter table login_throttle add column owner bytea;
      create index login_throttle_owner on login_throttle (owner) where owner is not null;
      -- When a guess from there is let through, while many guess the password of one account.
      alter table login_throttle add column slot_at timestamptz;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
