import type { MigrationInterface, QueryRunner } from 'typeorm';

export class NarrowedTokens20261213000000 implements MigrationInterface {
  name = 'NarrowedTokens20261213000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table users
        add column kind text not null default 'person' check (kind in ('person', 'service_account')),
        add column description text not null default '',
        add constraint users_service_account check (kind = 'person' or password_hash is null);
      create unique index users_service_account_name on users (tenant_id, lower(name)) where kind = 'service_account';

      alter table api_tokens
        add column access text not null default 'all' check (access in ('read', 'run', 'all')),
        -- Null = unrestricted. Ids of deleted records stay, so that a list never becomes empty and then null.
        add column scope_environment_ids uuid[] check (cardinality(scope_environment_ids) > 0),
        add column scope_plan_ids uuid[] check (cardinality(scope_plan_ids) > 0),
        -- Exchanged for an identity provider token, or created with such a token.
        add column exchanged boolean not null default false;

      drop function resolve_token(bytea, text);
      create function resolve_token(p_public_id bytea, p_address text)
      returns table (credential_id uuid, tenant_id uuid, tenant_name text, user_id uuid, email text, user_name text, role text, token_prefix text, secret_hash bytea,
        access text, environment_ids uuid[], plan_ids uuid[], machine boolean)
      language plpgsql as $$
      declare d record;
      begin
        select a.tenant_id, a.record_id into d from auth_directory a where a.kind = 'token' and a.key = p_public_id;
        if not found then return; end if;
        perform set_config('app.tenant', d.tenant_id::text, true);
        return query
          select k.id, k.tenant_id, t.name, u.id, u.email, u.name, u.role, k.prefix, k.secret_hash,
            k.access, k.scope_environment_ids, k.scope_plan_ids, k.exchanged or u.kind = 'service_account'
          from api_tokens k
          join users u on u.tenant_id = k.tenant_id and u.id = k.user_id
          join tenants t on t.id = k.tenant_id
          where k.id = d.record_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
            and u.disabled_at is null;
      end $$;
      grant execute on function resolve_token(bytea, text) to runward_app;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
