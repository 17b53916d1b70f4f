import type { ModuleSchema } from './module-schema.js';

/** Tables and functions of `collections/`. */
export const COLLECTIONS: ModuleSchema = {
  tables: String.raw`
    create table collections (
      id uuid primary key,
      tenant_id uuid not null,
      name text not null,
      description text not null,
      parent_id uuid,
      -- Starts of plans in the collection and its subfolders are refused in this period; null = no freeze.
      freeze_reason text,
      freeze_from timestamptz,
      freeze_until timestamptz,
      -- Who set it; with the name, because members may be removed.
      freeze_by uuid,
      freeze_by_name text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      version integer not null default 1,
      check (num_nulls(freeze_reason, freeze_from, freeze_until, freeze_by, freeze_by_name) = any (array[0, 5])),
      unique (tenant_id, id),
      foreign key (tenant_id) references tenants (id),
      foreign key (tenant_id, parent_id) references collections (tenant_id, id)
    );
    create unique index collections_name on collections (tenant_id, parent_id, lower(name)) nulls not distinct;
    create index collections_parent on collections (tenant_id, parent_id, id);
  `,
  tenantTables: {
    collections: 'select, insert, update, delete',
  },
};
