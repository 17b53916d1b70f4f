import type { ModuleSchema } from './module-schema.js';

/** Tables and functions of `scripts/`. */
export const SCRIPTS: ModuleSchema = {
  tables: String.raw`
    create table scripts (
      id uuid primary key,
      tenant_id uuid not null,
      name text not null,
      description text not null,
      revision integer not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      version integer not null default 1,
      unique (tenant_id, id),
      foreign key (tenant_id) references tenants (id)
    );
    create unique index scripts_name on scripts (tenant_id, lower(name));

    create table script_revisions (
      id uuid primary key,
      tenant_id uuid not null,
      record_id uuid not null,
      number integer not null,
      content text not null,
      interpreter text,
      created_by uuid not null,
      created_by_name text not null,
      created_at timestamptz not null default now(),
      git_source_id uuid,
      git_path text,
      git_ref text,
      message text,
      check ((git_source_id is null) or (content = '')),
      constraint script_revisions_check1 check ((git_source_id is null) = (git_path is null)),
      constraint script_revisions_check2 check ((git_ref is null) or (git_source_id is not null)),
      check ((octet_length(message) >= 1) and (octet_length(message) <= 4000)),
      unique (tenant_id, id),
      unique (tenant_id, record_id, number),
      foreign key (tenant_id, record_id) references scripts (tenant_id, id) on delete cascade
    );
    create index script_revisions_git on script_revisions (tenant_id, git_source_id) where (git_source_id is not null);
  `,
  tenantTables: {
    scripts: 'select, insert, update, delete',
    script_revisions: 'select, insert, delete',
  },
};
