import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tables that had only the name of a user: name of the table, column of the name, column of the ID. */
const REFERENCES = [
  ['departed_servers', 'kept_by_name', 'kept_by'],
  ['executions', 'pause_requested_by', 'pause_requested_by_id'],
  ['host_proofs', 'confirmed_by', 'confirmed_by_id'],
  ['host_results', 'check_asked_by', 'check_asked_by_id'],
  ['retention_rules', 'updated_by_name', 'updated_by'],
  ['schedules', 'paused_by_name', 'paused_by'],
  ['server_host_keys', 'pinned_by', 'pinned_by_id'],
  ['server_host_keys', 'retired_by', 'retired_by_id'],
  ['shared_addresses', 'marked_by', 'marked_by_id'],
] as const;

/** IDs of users beside their names. Stored names get an ID if exactly one member of the tenant has the name. */
export class UserReferences20261128132000 implements MigrationInterface {
  name = 'UserReferences20261128132000';

  async up(runner: QueryRunner): Promise<void> {
    for (const [table, name, id] of REFERENCES)
      await runner.query(`
        alter table ${table} add column if not exists ${id} uuid;
        update ${table} t set ${id} = u.id
          from (select tenant_id, name, min(id::text)::uuid as id from users group by tenant_id, name having count(*) = 1) u
          where t.${name} is not null and t.${id} is null and u.tenant_id = t.tenant_id and u.name = t.${name}`);
    // An older process sets only the name, so the ID counts only with the name of its member.
    await runner.query(`
      alter table servers add column if not exists pinned_by_id uuid;
      create or replace function note_host_keys() returns trigger language plpgsql as $$
        declare
          by_id uuid := (select u.id from users u
            where u.tenant_id = new.tenant_id and u.id = new.pinned_by_id and u.name = new.pinned_by);
        begin
          update server_host_keys k set retired_at = clock_timestamp(), retired_by = new.pinned_by,
              retired_by_id = by_id, retired_how = new.pinned_how
            where k.tenant_id = new.tenant_id and k.server_id = new.id and k.retired_at is null
              and not exists (select 1 from jsonb_array_elements(new.more_host_keys || coalesce(new.host_key, '[]')) p
                where p->>'fingerprint' = k.fingerprint and coalesce((p->>'authority')::boolean, false) = k.authority);
          insert into server_host_keys
              (tenant_id, server_id, fingerprint, type, public_key, authority, pinned_at, pinned_by, pinned_by_id, pinned_how)
            select new.tenant_id, new.id, p->>'fingerprint', p->>'type', p->>'publicKey',
                coalesce((p->>'authority')::boolean, false), clock_timestamp(), new.pinned_by, by_id, new.pinned_how
              from jsonb_array_elements(new.more_host_keys || coalesce(new.host_key, '[]')) p
            on conflict (tenant_id, server_id, fingerprint, authority) where retired_at is null do nothing;
          -- The latest hundred are kept, because an external system may replace keys repeatedly.
          delete from server_host_keys k where k.tenant_id = new.tenant_id and k.server_id = new.id
            and k.retired_at < (select o.retired_at from server_host_keys o
              where o.tenant_id = new.tenant_id and o.server_id = new.id and o.retired_at is not null
              order by o.retired_at desc offset 99 limit 1);
          return null;
        end
      $$`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
