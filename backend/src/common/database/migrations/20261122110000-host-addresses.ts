import type { MigrationInterface, QueryRunner } from 'typeorm';

export class HostAddresses20261122110000 implements MigrationInterface {
  name = 'HostAddresses20261122110000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function canonical_address(hostname text) returns text
        language plpgsql immutable strict parallel safe as $$
        declare
          name text := rtrim(lower(hostname), '.');
          inner_name text;
          address inet;
        begin
          if position(':' in name) = 0 or position('/' in name) > 0 then return name; end if;
          inner_name := case when name like '[%]' then substr(name, 2, length(name) - 2) else name end;
          address := split_part(inner_name, '%', 1)::inet;
          if address << inet '::ffff:0.0.0.0/96' then
            address := inet '0.0.0.0' + (address - inet '::ffff:0.0.0.0');
          end if;
          return host(address) || substr(inner_name, length(split_part(inner_name, '%', 1)) + 1);
        exception when invalid_text_representation then
          return name;
        end $$;

      -- Each step of each run searches the servers of protected environments for its hosts.
      create index servers_address on servers (tenant_id, canonical_address(hostname), port);
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
