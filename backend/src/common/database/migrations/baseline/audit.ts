import type { ModuleSchema } from './module-schema.js';

/** Tables and functions of `audit/`. */
export const AUDIT: ModuleSchema = {
  tables: String.raw`
    create table audit_entries (
      id uuid primary key,
      tenant_id uuid not null,
      at timestamptz not null default now(),
      actor_kind text not null,
      actor_id uuid,
      actor_name text,
      token_prefix text,
      address text,
      request_id text,
      action text not null,
      resource_type text not null,
      resource_id uuid,
      resource_name text,
      before jsonb,
      after jsonb,
      -- Entries before this migration have neither; the chain begins with the first later entry.
      sequence bigint,
      hash bytea,
      check (actor_kind in ('user', 'system', 'anonymous')),
      unique (tenant_id, id),
      foreign key (tenant_id) references tenants (id)
    );
    create index audit_entries_action on audit_entries (tenant_id, action, sequence);
    create index audit_entries_actor on audit_entries (tenant_id, actor_id, sequence);
    create index audit_entries_resource on audit_entries (tenant_id, resource_id, sequence);
    create index audit_entries_resource_type on audit_entries (tenant_id, resource_type, sequence);
    create unique index audit_entries_sequence on audit_entries (tenant_id, sequence);

    create table audit_heads (
      tenant_id uuid primary key,
      sequence bigint not null,
      hash bytea not null,
      seal bytea not null,
      foreign key (tenant_id) references tenants (id)
    );
  `,
  tenantTables: {
    audit_entries: 'select, insert',
    audit_heads: 'select, insert, update',
  },
};
