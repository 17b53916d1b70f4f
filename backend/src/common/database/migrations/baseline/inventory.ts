import type { ModuleSchema } from './module-schema.js';

/** Tables and functions of `inventory/`. */
export const INVENTORY: ModuleSchema = {
  tables: String.raw`
    create table departed_servers (
      id uuid primary key,
      tenant_id uuid not null,
      environment_id uuid not null,
      -- The server may be deleted.
      server_id uuid not null,
      server_name text not null,
      how text not null,
      -- Null = unknown.
      left_by uuid,
      left_by_name text,
      left_at timestamptz not null default clock_timestamp(),
      -- Null = until a second person releases it.
      counts_until timestamptz,
      kept_by_name text,
      -- Whether an event reported it.
      reported boolean not null default false,
      check (how in ('moved', 'deleted', 'readdressed', 'forgotten')),
      unique (tenant_id, id),
      foreign key (tenant_id, environment_id) references environments (tenant_id, id) on delete cascade
    );
    create index departed_servers_environment on departed_servers (tenant_id, environment_id, id desc);
    create index departed_servers_over on departed_servers (tenant_id, environment_id, counts_until);
    create index departed_servers_unreported on departed_servers (tenant_id) where (not reported);

    create table departed_proofs (
      tenant_id uuid not null,
      departure_id uuid not null,
      address text not null,
      port integer not null,
      -- Fingerprint of the host key; empty = the row covers only the address.
      fingerprint text not null,
      since timestamptz not null,
      confirmed_at timestamptz,
      primary key (tenant_id, departure_id, address, port, fingerprint),
      foreign key (tenant_id, departure_id) references departed_servers (tenant_id, id) on delete cascade
    );
    create index departed_proofs_address on departed_proofs (tenant_id, address, port) where (fingerprint = '');
    create index departed_proofs_fingerprint on departed_proofs (tenant_id, fingerprint) where (fingerprint <> '');

    create table enrolments (
      id uuid primary key,
      tenant_id uuid not null,
      -- No foreign keys: the host is notified of deleted records, and the enrolment is kept.
      environment_id uuid not null,
      ssh_key_id uuid not null,
      jump_server_id uuid,
      username text not null,
      port integer not null,
      -- Null = the host's own name.
      name text,
      tags jsonb not null,
      prefix text not null,
      secret_hash bytea not null,
      -- Creator, as in the audit trail. The rights are read again when a host registers.
      requested_by jsonb not null,
      created_by uuid not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      revoked_at timestamptz,
      -- Registered host, and the result.
      used_at timestamptz,
      server_id uuid,
      host_keys text[],
      -- Number of login attempts, and the lease of a running one.
      tries integer not null default 0,
      trying_until timestamptz,
      tried_at timestamptz,
      try_state text,
      try_message text,
      -- Number of refused hosts.
      refusals integer not null default 0,
      refused_at timestamptz,
      refused_address text,
      refused_message text,
      -- Servers of the latest refusal.
      refused_servers jsonb not null default '[]'::jsonb,
      check ((used_at is null) = (server_id is null)),
      check (octet_length(secret_hash) = 32),
      unique (tenant_id, id),
      foreign key (tenant_id) references tenants (id)
    );
    create index enrolments_environment on enrolments (tenant_id, environment_id, id);

    create table inventory_imports (
      id uuid primary key,
      tenant_id uuid not null,
      environment_id uuid not null,
      state text not null default 'pending',
      preview boolean not null,
      format text not null,
      source text,
      prune text not null,
      prune_limit_percent integer not null,
      -- For new servers. The import checks whether the key still exists.
      ssh_key_id uuid,
      username text,
      total integer not null,
      processed integer not null default 0,
      attempts integer not null default 0,
      counts jsonb,
      not_carried jsonb not null,
      more_not_carried integer not null,
      faults jsonb not null default '[]'::jsonb,
      more_faults integer not null default 0,
      digest text,
      expected_digest text,
      -- Preview that the import applies. No foreign key: old imports are deleted.
      preview_id uuid,
      -- Requester, as in the audit trail.
      requested_by jsonb not null,
      created_by uuid not null,
      created_at timestamptz not null default now(),
      started_at timestamptz,
      finished_at timestamptz,
      skip_faulty boolean not null default false,
      -- Whether an admin confirmed hosts that have proofs of servers in other environments.
      confirm_hosts boolean not null default false,
      other_servers jsonb not null default '[]'::jsonb,
      check (prune in ('no', 'disable', 'remove')),
      check (state in ('pending', 'running', 'succeeded', 'failed')),
      unique (tenant_id, id),
      foreign key (tenant_id, environment_id) references environments (tenant_id, id) on delete cascade,
      foreign key (tenant_id) references tenants (id)
    );
    create index inventory_imports_environment on inventory_imports (tenant_id, environment_id, id);

    create table inventory_import_entries (
      tenant_id uuid not null,
      import_id uuid not null,
      "position" integer not null,
      line integer,
      name text not null,
      -- Content of the text for the server; null = not in the text.
      entry jsonb,
      action text,
      -- No foreign key: removed servers remain listed.
      server_id uuid,
      changes jsonb not null default '[]'::jsonb,
      reason text,
      primary key (tenant_id, import_id, "position"),
      foreign key (tenant_id) references tenants (id),
      foreign key (tenant_id, import_id) references inventory_imports (tenant_id, id) on delete cascade
    );
    create index inventory_import_entries_action on inventory_import_entries (tenant_id, import_id, action, "position");

    create table key_rotations (
      id uuid primary key,
      tenant_id uuid not null,
      -- Null once the key was deleted, which is refused while the rotation is open.
      old_key_id uuid,
      new_key_id uuid,
      key_name text not null,
      -- Name of the new key until the rotation ends.
      new_key_name text not null,
      old_fingerprint text not null,
      new_fingerprint text not null,
      requested_by jsonb not null,
      created_by uuid not null,
      created_at timestamptz not null default now(),
      finished_at timestamptz,
      epoch integer not null default 0,
      lease_until timestamptz,
      unique (tenant_id, id),
      foreign key (tenant_id) references tenants (id),
      foreign key (tenant_id, new_key_id) references ssh_keys (tenant_id, id) on delete set null (new_key_id),
      foreign key (tenant_id, old_key_id) references ssh_keys (tenant_id, id) on delete set null (old_key_id)
    );
    create index key_rotations_created on key_rotations (tenant_id, id);
    create index key_rotations_new_key on key_rotations (tenant_id, new_key_id);
    create index key_rotations_old_key on key_rotations (tenant_id, old_key_id);
    create unique index key_rotations_open on key_rotations (tenant_id, old_key_id) where (finished_at is null);

    create table key_rotation_hosts (
      tenant_id uuid not null,
      rotation_id uuid not null,
      -- No foreign keys: deleted servers and environments remain listed.
      server_id uuid not null,
      environment_id uuid not null,
      name text not null,
      state text not null default 'pending',
      -- Why the host failed, or what it waits for.
      code text,
      message text,
      -- Latest requester, as in the audit trail. The rights are read again before each visit.
      requested_by jsonb not null,
      visits integer not null default 0,
      looked_at timestamptz,
      switched_at timestamptz,
      updated_at timestamptz not null default now(),
      check (state in ('pending', 'installed', 'switched', 'done', 'failed', 'given_up', 'left')),
      primary key (tenant_id, rotation_id, server_id),
      foreign key (tenant_id) references tenants (id),
      foreign key (tenant_id, rotation_id) references key_rotations (tenant_id, id) on delete cascade
    );
    create index key_rotation_hosts_state on key_rotation_hosts (tenant_id, rotation_id, state, looked_at);

    create table servers (
      id uuid primary key,
      tenant_id uuid not null,
      environment_id uuid not null,
      name text not null,
      hostname text not null,
      port integer not null,
      username text not null,
      ssh_key_id uuid not null,
      tags jsonb not null default '{}'::jsonb,
      enabled boolean not null default true,
      host_key jsonb,
      seen_host_key jsonb,
      last_check jsonb,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      version integer not null default 1,
      -- Canonical address of the latest connection on which the host proved to own the pinned key.
      last_reached_address text,
      -- Registered before Runward refused a second registration of a machine.
      known_double boolean not null default false,
      state text not null default 'unchecked',
      -- Null: unchecked.
      state_since timestamptz,
      checked_at timestamptz,
      -- Duration of the TCP connection at the latest login.
      latency_ms integer,
      external_source text,
      external_id text,
      -- Its source no longer lists it. When the source lists it again, the import enables it.
      disabled_by_import boolean not null default false,
      -- In addition to host_key: further keys of the host, and authorities of host certificates.
      more_host_keys jsonb not null default '[]'::jsonb,
      -- Who changed the pinned keys last, and how.
      pinned_by text,
      pinned_how text,
      jump_server_id uuid,
      facts jsonb,
      facts_at timestamptz,
      address text generated always as (canonical_address(hostname)) stored not null,
      -- Time when it joined its environment.
      environment_since timestamptz not null default clock_timestamp(),
      legacy_algorithms boolean not null default false,
      -- In seconds; null = default of runs, checks and rotations.
      login_timeout_seconds integer,
      constraint servers_external_whole check ((external_source is null) = (external_id is null)),
      constraint servers_facts_whole check ((facts is null) = (facts_at is null)),
      constraint servers_jump_other check (jump_server_id <> id),
      constraint servers_latency check (latency_ms >= 0),
      check ((login_timeout_seconds >= 5) and (login_timeout_seconds <= 120)),
      check (jsonb_typeof(more_host_keys) = 'array'),
      check ((port >= 1) and (port <= 65535)),
      constraint servers_state_known check (state in ('unchecked', 'reachable', 'host_key_unknown', 'host_key_accepted', 'host_key_changed', 'login_refused', 'no_commands', 'protected_host', 'unreachable')),
      constraint servers_state_seen check (((state = 'unchecked') = (checked_at is null)) and ((state = 'unchecked') = (state_since is null))),
      unique (tenant_id, id),
      constraint servers_jump_server foreign key (tenant_id, jump_server_id) references servers (tenant_id, id),
      foreign key (tenant_id, environment_id) references environments (tenant_id, id),
      foreign key (tenant_id) references tenants (id),
      foreign key (tenant_id, ssh_key_id) references ssh_keys (tenant_id, id)
    );
    -- Each connection of each run searches the servers of protected environments by these.
    create index servers_address on servers (tenant_id, address, port);
    create index servers_checked on servers (tenant_id, COALESCE(checked_at, '1970-01-01 00:00:00+00'::timestamptz), id);
    create index servers_environment on servers (tenant_id, environment_id);
    -- PostgreSQL checks unique indexes in this order, and refusals name the first violated one.
    create unique index servers_name on servers (tenant_id, lower(name));
    create unique index servers_machine on servers (tenant_id, environment_id, canonical_address(hostname), port, username) where (not known_double);
    create unique index servers_external on servers (tenant_id, external_source, external_id) where (external_source is not null);
    create index servers_jump_server on servers (tenant_id, jump_server_id) where (jump_server_id is not null);
    -- Names with the same prefix are adjacent in this order, independent of the database locale.
    create index servers_name_prefix on servers (tenant_id, name collate "C");
    create index servers_reached_address on servers (tenant_id, last_reached_address, port) where (last_reached_address is not null);
    create index servers_ssh_key on servers (tenant_id, ssh_key_id);
    -- In the order of ListOrder, which puts unchecked servers first.
    create index servers_state on servers (tenant_id, state, id);
    create index servers_updated on servers (tenant_id, updated_at, id);

    create table host_proofs (
      tenant_id uuid not null,
      server_id uuid not null,
      -- Canonical registered or reached address.
      address text not null,
      port integer not null,
      -- Fingerprint of the host key; empty = the row covers only the address.
      fingerprint text not null,
      -- Time of the proof or of the confirmation, whatever was first.
      since timestamptz not null default clock_timestamp(),
      -- Null = not proved by a login.
      proved_at timestamptz,
      -- Origin of the login: check, schedule, enrolment, run, or upgrade; null if proved_at is null.
      proved_by text,
      -- Run of the login.
      execution_id uuid,
      -- Null = not confirmed by an approver of the environment.
      confirmed_at timestamptz,
      confirmed_by text,
      primary key (tenant_id, server_id, address, port, fingerprint),
      foreign key (tenant_id, server_id) references servers (tenant_id, id) on delete cascade
    );
    create index host_proofs_address on host_proofs (tenant_id, address, port) where (fingerprint = '');
    create index host_proofs_fingerprint on host_proofs (tenant_id, fingerprint) where (fingerprint <> '');

    create table proved_host_keys (
      tenant_id uuid not null,
      server_id uuid not null,
      fingerprint text not null,
      proved_at timestamptz not null default clock_timestamp(),
      primary key (tenant_id, server_id, fingerprint),
      foreign key (tenant_id, server_id) references servers (tenant_id, id) on delete cascade
    );
    create index proved_host_keys_fingerprint on proved_host_keys (tenant_id, fingerprint);

    create table server_checks (
      tenant_id uuid not null,
      server_id uuid not null,
      -- Copied from the server, so that an index finds due checks.
      environment_id uuid not null,
      enabled boolean not null,
      -- Start of the environment's interval; at most a tenth of it before the latest check.
      due_from timestamptz not null default '1970-01-01 00:00:00+00'::timestamptz,
      -- Time of the request for an immediate check; null = none, or done.
      requested_at timestamptz,
      -- A worker holds it until this time. Then any worker may claim it.
      leased_until timestamptz,
      primary key (tenant_id, server_id),
      foreign key (tenant_id, server_id) references servers (tenant_id, id) on delete cascade
    ) with (fillfactor='70');
    create index server_checks_due on server_checks (tenant_id, environment_id, due_from) where enabled;
    create index server_checks_requested on server_checks (tenant_id, requested_at) where ((requested_at is not null) and enabled);

    create table server_host_keys (
      tenant_id uuid not null,
      server_id uuid not null,
      fingerprint text not null,
      type text not null,
      public_key text not null,
      -- Signs host certificates; it is not a key of the host.
      authority boolean not null,
      -- Null = pinned before this was recorded.
      pinned_at timestamptz,
      pinned_by text,
      pinned_how text,
      -- Null = pinned.
      retired_at timestamptz,
      retired_by text,
      retired_how text,
      foreign key (tenant_id, server_id) references servers (tenant_id, id) on delete cascade
    );
    create index server_host_keys_fingerprint on server_host_keys (tenant_id, fingerprint);
    create unique index server_host_keys_pinned on server_host_keys (tenant_id, server_id, fingerprint, authority) where (retired_at is null);
    create index server_host_keys_server on server_host_keys (tenant_id, server_id);

    create table server_labels (
      tenant_id uuid not null,
      server_id uuid not null,
      key text not null,
      value text not null,
      primary key (tenant_id, server_id, key),
      foreign key (tenant_id, server_id) references servers (tenant_id, id) on delete cascade
    );
    create index server_labels_value on server_labels (tenant_id, key, value, server_id);

    create table server_variables (
      id uuid primary key,
      tenant_id uuid not null,
      server_id uuid not null,
      key text not null,
      type text not null,
      secret boolean not null,
      -- jsonb, because values may be lists. The value of a secret is sealed instead.
      value jsonb,
      sealed_value bytea,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      -- Who set it; with the name, because members may be removed.
      updated_by uuid not null,
      updated_by_name text not null,
      version integer not null default 1,
      check ( case when secret then ((value is null) and (sealed_value is not null)) else ((value is not null) and (sealed_value is null)) end),
      unique (tenant_id, id),
      unique (tenant_id, server_id, key),
      foreign key (tenant_id, server_id) references servers (tenant_id, id) on delete cascade
    );

    create table shared_addresses (
      tenant_id uuid not null,
      -- Canonical address, or a registered host name.
      address text not null,
      reason text not null,
      marked_by text not null,
      marked_at timestamptz not null default now(),
      primary key (tenant_id, address),
      foreign key (tenant_id) references tenants (id)
    );

    create table shared_host_keys (
      tenant_id uuid not null,
      fingerprint text not null,
      reason text not null,
      marked_at timestamptz not null default now(),
      primary key (tenant_id, fingerprint),
      foreign key (tenant_id) references tenants (id)
    );
  `,
  functions: String.raw`
    -- Returns the same text as canonicalAddress in common/network/host-address.ts.
    create function canonical_address(hostname text) returns text language plpgsql immutable strict parallel safe as $$
      declare
        bare text := rtrim(hostname, '.');
        -- Independent of the database locale: names are ASCII.
        name text := lower(bare collate "C");
        inner_name text;
        before_zone text;
        address inet;
        low bigint;
      begin
        if position(':' in name) = 0 or position('/' in name) > 0 then return name; end if;
        inner_name := case when bare like '[%]' then substr(bare, 2, length(bare) - 2) else bare end;
        before_zone := split_part(inner_name, '%', 1);
        address := before_zone::inet;
        if address << inet '::ffff:0.0.0.0/96' then
          return host(inet '0.0.0.0' + (address - inet '::ffff:0.0.0.0'));
        end if;
        if address << inet '::/96' then
          -- host() would print these with an embedded IPv4 address.
          low := address - inet '::';
          return case
            when low = 0 then '::'
            when low < 65536 then '::' || to_hex(low)
            else '::' || to_hex(low >> 16) || ':' || to_hex(low & 65535) end;
        end if;
        return host(address) || case
          when address << inet 'fe80::/10' and length(inner_name) > length(before_zone) + 1
          then substr(inner_name, length(before_zone) + 1) else '' end;
      exception when invalid_text_representation then
        return name;
      end
    $$;

    -- Stores what a server protects in its environment. Call it before the server leaves.
    create function depart_server(of_tenant uuid, of_environment uuid, of_server uuid, of_name text, there_since timestamptz, in_way text) returns void language plpgsql as $$
      declare
        delay integer;
        departure uuid;
      begin
        select protection_delay_seconds into delay from environments
          where tenant_id = of_tenant and id = of_environment and protected;
        if not found then return; end if;
        if not exists (select from host_proofs where tenant_id = of_tenant and server_id = of_server) then return; end if;
        delete from departed_servers
          where tenant_id = of_tenant and environment_id = of_environment and counts_until <= clock_timestamp();
        -- UUIDv7, because lists are ordered by it.
        departure := encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
          placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid;
        insert into departed_servers (id, tenant_id, environment_id, server_id, server_name, how, left_by, left_by_name, counts_until)
          values (departure, of_tenant, of_environment, of_server, of_name, in_way,
            nullif(current_setting('app.caller_id', true), '')::uuid, nullif(current_setting('app.caller_name', true), ''),
            clock_timestamp() + make_interval(secs => delay));
        insert into departed_proofs (tenant_id, departure_id, address, port, fingerprint, since, confirmed_at)
          select of_tenant, departure, address, port, fingerprint, greatest(since, there_since), confirmed_at
            from host_proofs where tenant_id = of_tenant and server_id = of_server;
      end
    $$;

    create function forget_host_proofs() returns trigger language plpgsql as $$
      begin
        -- It may be another machine now. Unpinned keys remain protected.
        delete from host_proofs where tenant_id = new.tenant_id and server_id = new.id;
        return null;
      end
    $$;

    create function forget_proved_host_keys() returns trigger language plpgsql as $$
      begin
        -- It may be another machine now.
        delete from proved_host_keys where tenant_id = new.tenant_id and server_id = new.id;
        return null;
      end
    $$;

    create function label_servers() returns trigger language plpgsql as $$
      begin
        insert into server_labels (tenant_id, server_id, key, value)
          select s.tenant_id, s.id, n.key, n.value from stored s, labels_of(s.tags, s.facts) n;
        return null;
      end
    $$;

    -- Facts are labels too, so that selectors find them. An older tag with the name of a fact overrides the fact.
    create function labels_of(tags jsonb, facts jsonb) returns table (key text, value text) language sql immutable as $$
      select t.key, t.value from jsonb_each_text(tags) t
      union all
      select 'facts.' || f.key, f.value from jsonb_each_text(facts) f
        where f.key in ('os', 'osVersion', 'kernel', 'kernelVersion', 'arch', 'cpus', 'memoryMb', 'init', 'hostname',
            'pythonVersion')
          and f.value is not null and not tags ? ('facts.' || f.key)
    $$;

    create function note_departure() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' then
          perform depart_server(old.tenant_id, old.environment_id, old.id, old.name, old.environment_since, 'deleted');
          return old;
        end if;
        -- Imports give servers temporary names first.
        perform depart_server(old.tenant_id, old.environment_id, old.id, new.name, old.environment_since,
          case when old.environment_id <> new.environment_id then 'moved' else 'readdressed' end);
        return new;
      end
    $$;

    create function note_environment() returns trigger language plpgsql as $$
      begin
        new.environment_since := clock_timestamp();
        return new;
      end
    $$;

    create function note_host_keys() returns trigger language plpgsql as $$
      begin
        update server_host_keys k
          set retired_at = clock_timestamp(), retired_by = new.pinned_by, retired_how = new.pinned_how
          where k.tenant_id = new.tenant_id and k.server_id = new.id and k.retired_at is null
            and not exists (select 1 from jsonb_array_elements(new.more_host_keys || coalesce(new.host_key, '[]')) p
              where p->>'fingerprint' = k.fingerprint and coalesce((p->>'authority')::boolean, false) = k.authority);
        insert into server_host_keys
            (tenant_id, server_id, fingerprint, type, public_key, authority, pinned_at, pinned_by, pinned_how)
          select new.tenant_id, new.id, p->>'fingerprint', p->>'type', p->>'publicKey',
              coalesce((p->>'authority')::boolean, false), clock_timestamp(), new.pinned_by, new.pinned_how
            from jsonb_array_elements(new.more_host_keys || coalesce(new.host_key, '[]')) p
          on conflict (tenant_id, server_id, fingerprint, authority) where retired_at is null do nothing;
        -- The latest hundred are kept, because an external system may replace keys repeatedly.
        delete from server_host_keys k where k.tenant_id = new.tenant_id and k.server_id = new.id
          and k.retired_at < (select o.retired_at from server_host_keys o
            where o.tenant_id = new.tenant_id and o.server_id = new.id and o.retired_at is not null
            order by o.retired_at desc offset 99 limit 1);
        return null;
      end
    $$;

    -- Each stored result of a check, of a run or of an accepted host key moves the next check. Uses the database
    -- clock, because the clock of a worker may be wrong by an hour.
    create function note_server_check() returns trigger language plpgsql as $$
      begin
        -- It is another machine now.
        new.facts := null;
        new.facts_at := null;
        return new;
      end
    $$;

    create function relabel_servers() returns trigger language plpgsql as $$
      begin
        -- See schedule_checks.
        if (select count(*) from servers_after) > 50 then discard plans; end if;
        with stored as (
            -- Pairs the old and new row of each server by sorting: a join might be planned for one row and get
            -- thousands.
            select b.*, lag(b.tags) over each_server as old_tags, lag(b.facts) over each_server as old_facts
              -- Free space changes at each check and is not a label.
              from (select 0 as turn, tenant_id, id, tags, facts - 'diskFreeMb' as facts from servers_before
                union all select 1, tenant_id, id, tags, facts - 'diskFreeMb' from servers_after) b
              window each_server as (partition by b.id order by b.turn)),
          changed as materialized (
            select s.* from stored s
              where s.turn = 1 and (s.tags is distinct from s.old_tags or s.facts is distinct from s.old_facts)),
          old_labels as materialized (
            select c.tenant_id, c.id, n.key, n.value from changed c, labels_of(c.old_tags, c.old_facts) n),
          new_labels as materialized (
            select c.tenant_id, c.id, n.key, n.value from changed c, labels_of(c.tags, c.facts) n),
          gone as (select tenant_id, id, key from old_labels except select tenant_id, id, key from new_labels),
          dropped as (delete from server_labels l using gone g
            where l.tenant_id = g.tenant_id and l.server_id = g.id and l.key = g.key)
          insert into server_labels as l (tenant_id, server_id, key, value)
            select tenant_id, id, key, value from new_labels except select tenant_id, id, key, value from old_labels
            on conflict (tenant_id, server_id, key) do update set value = excluded.value;
        return null;
      end
    $$;

    -- Each stored result of a check, of a run or of an accepted host key moves the next check. Uses the database
    -- clock, because the clock of a worker may be wrong by an hour.
    create function reschedule_checks() returns trigger language plpgsql as $$
      begin
        with stored as (
            -- Pairs the old and new row of each server by sorting: a join might be planned for one row and get
            -- thousands.
            select b.*, lag(b.environment_id) over each_server as old_environment_id,
                lag(b.enabled) over each_server as old_enabled, lag(b.checked_at) over each_server as old_checked_at
              from (select 0 as turn, tenant_id, id, environment_id, enabled, checked_at, state from servers_before
                union all select 1, tenant_id, id, environment_id, enabled, checked_at, state from servers_after) b
              window each_server as (partition by b.id order by b.turn)),
          changed as (
            select s.*, s.checked_at is distinct from s.old_checked_at as noted,
                -- After an accepted key the login is still untested; without a time it is another machine.
                s.checked_at is not null and s.state <> 'host_key_accepted' as seen
              from stored s where s.turn = 1 and (s.checked_at is distinct from s.old_checked_at
                or s.environment_id <> s.old_environment_id or s.enabled <> s.old_enabled)),
          given as materialized (
            select h.*, e.check_interval_seconds as every
              from changed h
              join server_checks c on c.tenant_id = h.tenant_id and c.server_id = h.id
              left join environments e on e.tenant_id = h.tenant_id and e.id = h.environment_id
              order by c.server_id for no key update of c)
          update server_checks c set environment_id = g.environment_id, enabled = g.enabled,
              leased_until = case when not g.noted then c.leased_until end,
              requested_at = case when not (g.noted and g.seen) then c.requested_at end,
              due_from = case when not g.noted then c.due_from when not g.seen then 'epoch'
                -- Servers that one run reached at the same time are due at different times.
                else now() - coalesce(g.every, 0) * random() * interval '0.1 second' end
            from given g where c.tenant_id = g.tenant_id and c.server_id = g.id;
        return null;
      end
    $$;

    create function schedule_checks() returns trigger language plpgsql as $$
      begin
        -- The database checks the foreign key of each row with a cached plan. A plan from when the table was small
        -- reads all of it each time, so thousands of new servers need a new plan.
        if (select count(*) from stored) > 50 then discard plans; end if;
        insert into server_checks (tenant_id, server_id, environment_id, enabled)
          select s.tenant_id, s.id, s.environment_id, s.enabled from stored s;
        return null;
      end
    $$;

    -- Tenants with a server that is due for a check. Visits the tenants one by one, because row-level security shows
    -- one at a time. Returns only ids.
    create function tenants_with_due_checks(p_lapse_seconds integer) returns setof uuid language plpgsql as $$
      declare t record;
      begin
        for t in select id from tenants order by id loop
          perform set_config('app.tenant', t.id::text, true);
          if exists (select from server_checks c where c.tenant_id = t.id and c.enabled and c.requested_at is not null
                and c.requested_at > now() - make_interval(secs => p_lapse_seconds)
                and (c.leased_until is null or c.leased_until < now()))
            or exists (select from environments e where e.tenant_id = t.id and e.check_interval_seconds is not null
              and exists (select from server_checks c where c.tenant_id = t.id and c.environment_id = e.id and c.enabled
                and c.due_from <= now() - make_interval(secs => e.check_interval_seconds)
                and (c.leased_until is null or c.leased_until < now())))
          then return next t.id;
          end if;
        end loop;
        perform set_config('app.tenant', '', true);
      end
    $$;
    grant execute on function tenants_with_due_checks(integer) to runward_app;
  `,
  rules: String.raw`
    create trigger servers_check_noted before update of checked_at on servers
      for each row when (((old.checked_at is not null) and (new.checked_at is null)))
      execute function note_server_check();
    create trigger servers_deleted before delete on servers for each row execute function note_departure();
    create trigger servers_departing before update of environment_id, hostname, port, jump_server_id on servers
      for each row when (((old.environment_id <> new.environment_id)
        or (old.hostname <> new.hostname)
        or (old.port <> new.port)
        or (old.jump_server_id is distinct from new.jump_server_id)))
      execute function note_departure();
    create trigger servers_labelled after insert on servers referencing new table as stored for each statement
      execute function label_servers();
    create trigger servers_moved after update of hostname, port, jump_server_id, host_key, more_host_keys on servers
      for each row when (((old.hostname <> new.hostname)
        or (old.port <> new.port)
        or (old.jump_server_id is distinct from new.jump_server_id)
        or (old.host_key is distinct from new.host_key)
        or (old.more_host_keys <> new.more_host_keys)))
      execute function forget_proved_host_keys();
    create trigger servers_pinned after insert on servers
      for each row when (((new.host_key is not null) or (new.more_host_keys <> '[]'::jsonb)))
      execute function note_host_keys();
    create trigger servers_readdressed after update of hostname, port, jump_server_id on servers
      for each row when (((old.hostname <> new.hostname)
        or (old.port <> new.port)
        or (old.jump_server_id is distinct from new.jump_server_id)))
      execute function forget_host_proofs();
    create trigger servers_relabelled after update on servers referencing old table as servers_before new table as servers_after for each statement
      execute function relabel_servers();
    create trigger servers_repinned after update of host_key, more_host_keys on servers
      for each row when (((old.host_key is distinct from new.host_key)
        or (old.more_host_keys <> new.more_host_keys)))
      execute function note_host_keys();
    create trigger servers_rescheduled after update on servers referencing old table as servers_before new table as servers_after for each statement
      execute function reschedule_checks();
    create trigger servers_scheduled after insert on servers referencing new table as stored for each statement
      execute function schedule_checks();
    create trigger servers_transferred before update of environment_id on servers
      for each row when ((old.environment_id <> new.environment_id))
      execute function note_environment();
  `,
  tenantTables: {
    departed_servers: 'select, insert, update, delete',
    departed_proofs: 'select, insert, update, delete',
    enrolments: 'select, insert, update, delete',
    inventory_imports: 'select, insert, update, delete',
    inventory_import_entries: 'select, insert, update, delete',
    key_rotations: 'select, insert, update, delete',
    key_rotation_hosts: 'select, insert, update, delete',
    servers: 'select, insert, update, delete',
    host_proofs: 'select, insert, update, delete',
    proved_host_keys: 'select, insert, update, delete',
    server_checks: 'select, insert, update, delete',
    server_host_keys: 'select, insert, update, delete',
    server_labels: 'select, insert, update, delete',
    server_variables: 'select, insert, update, delete',
    shared_addresses: 'select, insert, delete',
    shared_host_keys: 'select, insert, delete',
  },
};
