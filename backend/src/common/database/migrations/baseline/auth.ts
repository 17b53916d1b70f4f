import type { ModuleSchema } from './module-schema.js';

/** Tables and functions of `auth/`. */
export const AUTH: ModuleSchema = {
  tables: String.raw`
    -- Failed sign-ins by the SHA-256 of an account's name or of a network. It is read before the tenant is known, and
    -- for accounts that do not exist, so it has no tenant; it holds no address in plain text.
    create table login_throttle (
      key bytea primary key,
      failures integer not null,
      last_failure_at timestamptz not null default now(),
      blocked_until timestamptz not null,
      -- Owner of the counter when the key contains more: hash of an account name or of a member id.
      owner bytea,
      -- Time of the next allowed attempt from there, while one account is under attack from many places.
      slot_at timestamptz,
      check (failures >= 0),
      check (octet_length(key) = 32)
    );
    create index login_throttle_age on login_throttle (last_failure_at);
    create index login_throttle_owner on login_throttle (owner) where (owner is not null);

    create table oidc_trust_rules (
      id uuid primary key,
      tenant_id uuid not null,
      name text not null,
      issuer text not null,
      audience text not null,
      -- Pattern: * matches any characters.
      subject text not null,
      user_id uuid not null,
      access text not null,
      environment_ids uuid[],
      plan_ids uuid[],
      token_lifetime_seconds integer not null,
      enabled boolean not null,
      last_used_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      version integer not null default 1,
      check (access in ('read', 'run', 'all')),
      constraint oidc_trust_rules_environment_ids_check check ((cardinality(environment_ids) > 0) or (plan_ids is not null)),
      check (cardinality(plan_ids) > 0),
      check ((token_lifetime_seconds >= 60) and (token_lifetime_seconds <= 3600)),
      unique (tenant_id, id),
      foreign key (tenant_id) references tenants (id),
      foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
    );
    create index oidc_trust_rules_issuer on oidc_trust_rules (tenant_id, issuer) where enabled;
    create unique index oidc_trust_rules_name on oidc_trust_rules (tenant_id, lower(name));
    create index oidc_trust_rules_user on oidc_trust_rules (tenant_id, user_id);

    create table api_tokens (
      id uuid primary key,
      tenant_id uuid not null,
      user_id uuid not null,
      name text not null,
      prefix text not null,
      secret_hash bytea not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz,
      last_used_address text,
      -- Token that created this token; its revocation revokes this token too.
      parent_token_id uuid,
      access text not null default 'all',
      -- Null = unrestricted. Ids of deleted records stay, so that a list never becomes empty and then null.
      scope_environment_ids uuid[],
      scope_plan_ids uuid[],
      -- Exchanged for an identity provider token, or created with such a token.
      exchanged boolean not null default false,
      trust_rule_id uuid,
      -- Members who saw its secret, or that of a token that created it. Empty = only a program has it.
      held_by uuid[] not null default '{}'::uuid[],
      check (access in ('read', 'run', 'all')),
      constraint api_tokens_scope_environment_ids_check check ((cardinality(scope_environment_ids) > 0) or (scope_plan_ids is not null)),
      check (cardinality(scope_plan_ids) > 0),
      unique (tenant_id, id),
      foreign key (tenant_id, parent_token_id) references api_tokens (tenant_id, id) on delete cascade,
      foreign key (tenant_id, trust_rule_id) references oidc_trust_rules (tenant_id, id) on delete set null (trust_rule_id),
      foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
    );
    -- Tokens that expired long ago are deleted.
    create index api_tokens_exchanged on api_tokens (tenant_id, expires_at) where exchanged;
    create unique index api_tokens_name on api_tokens (tenant_id, user_id, lower(name)) where ((revoked_at is null) and (not exchanged));
    create index api_tokens_parent on api_tokens (tenant_id, parent_token_id) where (parent_token_id is not null);
    create index api_tokens_prefix on api_tokens (tenant_id, prefix);
    create index api_tokens_trust_rule on api_tokens (tenant_id, trust_rule_id) where (trust_rule_id is not null);

    create table sessions (
      id uuid primary key,
      tenant_id uuid not null,
      user_id uuid not null,
      secret_hash bytea not null,
      address text not null,
      user_agent text not null,
      created_at timestamptz not null default now(),
      last_seen_at timestamptz not null default now(),
      expires_at timestamptz not null,
      unique (tenant_id, id),
      foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
    );
    create index sessions_user on sessions (tenant_id, user_id);
  `,
  functions: String.raw`
    create function api_tokens_environments() returns trigger language plpgsql as $$
      declare bound uuid[];
      begin
        select array_agg(p.id order by p.id), array_agg(distinct p.environment_id) into bound, new.scope_environment_ids
          from plans p where p.tenant_id = new.tenant_id and p.id = any (new.scope_plan_ids) and p.environment_id is not null;
        new.scope_plan_ids := coalesce(bound, new.scope_plan_ids);
        new.scope_environment_ids := coalesce(new.scope_environment_ids, '{}');
        return new;
      end
    $$;

    create function oidc_trust_rules_environments() returns trigger language plpgsql as $$
      declare bound uuid[];
      begin
        select array_agg(p.id order by p.id), array_agg(distinct p.environment_id) into bound, new.environment_ids
          from plans p where p.tenant_id = new.tenant_id and p.id = any (new.plan_ids) and p.environment_id is not null;
        new.plan_ids := coalesce(bound, new.plan_ids);
        new.environment_ids := coalesce(new.environment_ids, '{}');
        return new;
      end
    $$;

    -- One round trip per request: finds the credential's tenant, sets it for row-level security in this transaction,
    -- and reads the current user. No row for an invalid credential or a disabled user.
    create function resolve_session(p_hash bytea, p_address text) returns table (credential_id uuid, tenant_id uuid, tenant_name text, user_id uuid, email text, user_name text, role text, token_prefix text, secret_hash bytea) language plpgsql as $$
      declare d record;
      begin
        select a.tenant_id, a.record_id into d from auth_directory a where a.kind = 'session' and a.key = p_hash;
        if not found then return; end if;
        perform set_config('app.tenant', d.tenant_id::text, true);
        update sessions s set last_seen_at = now(), address = p_address
          where s.id = d.record_id and s.last_seen_at < now() - interval '1 minute';
        return query
          select s.id, s.tenant_id, t.name, u.id, u.email, u.name, u.role, null::text, s.secret_hash
          from sessions s
          join users u on u.tenant_id = s.tenant_id and u.id = s.user_id
          join tenants t on t.id = s.tenant_id
          where s.id = d.record_id and s.expires_at > now() and u.disabled_at is null;
      end
    $$;
    grant execute on function resolve_session(bytea, text) to runward_app;

    create function resolve_token(p_public_id bytea, p_address text) returns table (credential_id uuid, tenant_id uuid, tenant_name text, user_id uuid, email text, user_name text, role text, token_prefix text, secret_hash bytea, access text, environment_ids uuid[], plan_ids uuid[], machine boolean, held_by uuid[]) language plpgsql as $$
      declare d record;
      begin
        select a.tenant_id, a.record_id into d from auth_directory a where a.kind = 'token' and a.key = p_public_id;
        if not found then return; end if;
        perform set_config('app.tenant', d.tenant_id::text, true);
        return query
          select k.id, k.tenant_id, t.name, u.id, u.email, u.name, u.role, k.prefix, k.secret_hash,
            k.access, k.scope_environment_ids, k.scope_plan_ids, k.exchanged or u.kind = 'service_account', k.held_by
          from api_tokens k
          join users u on u.tenant_id = k.tenant_id and u.id = k.user_id
          join tenants t on t.id = k.tenant_id
          where k.id = d.record_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
            and u.disabled_at is null;
      end
    $$;
    grant execute on function resolve_token(bytea, text) to runward_app;

    -- Enabled rules for an issuer, of all tenants or of the named one. Called before the tenant is known, for a token
    -- that the issuer signed. Sets each tenant for row-level security in turn.
    create function trust_rules_of(p_issuer text, p_key bytea, p_tenant text, p_most integer) returns table (tenant_id uuid, tenant_name text, rule_id uuid, audience text, subject text) language plpgsql as $$
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
      end
    $$;
    grant execute on function trust_rules_of(text, bytea, text, integer) to runward_app;
  `,
  rules: String.raw`
    grant select, insert, delete, update on login_throttle to runward_app;
    create trigger oidc_trust_rules_environments before insert or update of environment_ids, plan_ids on oidc_trust_rules
      for each row when (((new.plan_ids is not null) and (new.environment_ids is null)))
      execute function oidc_trust_rules_environments();
    create trigger api_tokens_environments before insert or update of scope_environment_ids, scope_plan_ids on api_tokens
      for each row when (((new.scope_plan_ids is not null) and (new.scope_environment_ids is null)))
      execute function api_tokens_environments();
  `,
  tenantTables: {
    oidc_trust_rules: 'select, insert, update, delete',
    api_tokens: 'select, insert, update, delete',
    sessions: 'select, insert, update, delete',
  },
};
