import type { ModuleSchema } from './module-schema.js';

/** Tables and functions of `keys/`. */
export const KEYS: ModuleSchema = {
  tables: String.raw`
    create table ssh_keys (
      id uuid primary key,
      tenant_id uuid not null,
      name text not null,
      type text not null,
      public_key text not null,
      fingerprint text not null,
      sealed_private_key bytea not null,
      last_used_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      version integer not null default 1,
      certificate text,
      unique (tenant_id, id),
      foreign key (tenant_id) references tenants (id)
    );
    create unique index ssh_keys_name on ssh_keys (tenant_id, lower(name));
  `,
  tenantTables: {
    ssh_keys: 'select, insert, update, delete',
  },
};
