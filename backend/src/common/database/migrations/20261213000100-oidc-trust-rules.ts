import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

export class OidcTrustRules20261213000100 implements MigrationInterface {
  name = 'OidcTrustRules20261213000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table oidc_trust_rules (
        id uuid primary key,
        tenant_id uuid not null references tenants (id),
        name text not null,
        issuer text not null,
        audience text not null,
        -- Pattern: * matches any characters.
        subject text not null,
        user_id uuid not null,
        access text not null check (access in ('read', 'run', 'all')),
        environment_ids uuid[] check (cardinality(environment_ids) > 0),
        plan_ids uuid[] check (cardinality(plan_ids) > 0),
        token_lifetime_seconds integer not null check (token_lifetime_seconds between 60 and 3600),
        enabled boolean not null,
        last_used_at timestamptz,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        version integer not null default 1,
        unique (tenant_id, id),
        -- The application refuses to remove a member with rules, and lists the rules.
        foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
      );
      create unique index oidc_trust_rules_name on oidc_trust_rules (tenant_id, lower(name));
      create index oidc_trust_rules_issuer on oidc_trust_rules (tenant_id, issuer) where enabled;
      create index oidc_trust_rules_user on oidc_trust_rules (tenant_id, user_id);

      alter table api_tokens add column trust_rule_id uuid;
      alter table api_tokens add foreign key (tenant_id, trust_rule_id)
        references oidc_trust_rules (tenant_id, id) on delete set null (trust_rule_id);
      create index api_tokens_trust_rule on api_tokens (tenant_id, trust_rule_id) where trust_rule_id is not null;
      -- Tokens that expired long ago are deleted.
      create index api_tokens_exchanged on api_tokens (tenant_id, expires_at) where exchanged;
      -- Exchanged tokens are named after the subject of the provider token, which may repeat.
      drop index api_tokens_name;
      create unique index api_tokens_name on api_tokens (tenant_id, user_id, lower(name))
        where revoked_at is null and not exchanged;

      alter table auth_directory drop constraint auth_directory_kind_check;
      alter table auth_directory add constraint auth_directory_kind_check
        check (kind in ('email', 'session', 'token', 'password_link', 'enrolment', 'git_source', 'oidc_issuer'));
    `);
    await protectTenantTable(runner, 'oidc_trust_rules');
    await runner.query(`
      -- Enabled rules for an issuer, of all tenants or of the named one. Called before the tenant is known, for a token
      -- that the issuer signed. Sets each tenant for row-level security in turn.
      create function trust_rules_of(p_issuer text, p_key bytea, p_tenant text, p_most integer)
      returns table (tenant_id uuid, tenant_name text, rule_id uuid, audience text, subject text)
      language plpgsql as $$
      declare d record;
      begin
        for d in
          select a.tenant_id as id, t.name from auth_directory a join tenants t on t.id = a.tenant_id
            where a.kind = 'oidc_issuer' and a.key = p_key and (p_tenant is null or lower(t.name) = lower(p_tenant))
            order by a.tenant_id limit p_most
        loop
          perform set_config('app.tenant', d.id::text, true);
          return query
            select r.tenant_id, d.name, r.id, r.audience, r.subject from oidc_trust_rules r
              where r.tenant_id = d.id and r.issuer = p_issuer and r.enabled;
        end loop;
        perform set_config('app.tenant', '', true);
      end $$;
      grant execute on function trust_rules_of(text, bytea, text, integer) to runward_app;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
