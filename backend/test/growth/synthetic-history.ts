/**
 * Inserts years of runs and audit entries by SQL. The number of a run determines its values: frequent, rare, old and
 * unused ones. Imports nothing, because benchmarks load this file directly.
 */

/** Runs SQL within the tenant of the history. */
type Ask = <R>(sql: string, values?: unknown[]) => Promise<R[]>;

export interface HistoryOf {
  tenantId: string;
  runs: number;
  entries: number;
  /**
   * Environments by their share of runs: `busy` has most, `common` some, `rare` one in a thousand, `old` only the
   * oldest, `small` few each.
   */
  environments: { busy: string; common: string; rare: string; old: string; small: readonly string[] };
  /** Members who start runs: `often` starts most, `seldom` one in a thousand. */
  starters: { often: string; seldom: string };
}

export interface HistoryPlaces {
  plans: { often: string; seldom: string; old: string };
  servers: { often: string; seldom: string; old: string };
  /** Runs that were rerun: `often` many times, `once` one time. */
  parents: { often: string; once: string };
  resources: { often: string; seldom: string };
  begin: Date;
  end: Date;
}

const YEARS_MS = 3 * 365 * 86_400_000;
const DAY_MS = 86_400_000;

/** Returns SQL of an ID by kind and number. These IDs are not in order of time. */
const fixedId = (kind: string, n: string | number): string => `md5('${kind} ' || ${n})::uuid`;

/** Returns SQL of the time of run or entry `n` of `all`, in ms since the epoch. */
const msOf = (n: string, all: number, begin: number): string =>
  `(${begin} + ((${n})::float8 * ${YEARS_MS / all})::bigint)`;

/** Returns SQL of a UUIDv7 with this time. */
const idOf = (n: string, ms: string): string => {
  const hex = `lpad(to_hex(${ms}), 12, '0')`;
  const random = `md5((${n})::text)`;
  return `(substr(${hex}, 1, 8) || '-' || substr(${hex}, 9, 4) || '-7' || substr(${random}, 1, 3) || '-8' || substr(${random}, 4, 3)
    || '-' || substr(${random}, 7, 12))::uuid`;
};

/**
 * Inserts the history of a tenant without runs. `ask` must set the session's tenant. All foreign keys are satisfied.
 */
export async function storeHistory(ask: Ask, history: HistoryOf): Promise<HistoryPlaces> {
  const { tenantId, runs, entries, environments, starters } = history;
  const end = Date.now() - DAY_MS;
  const begin = end - YEARS_MS;
  const ms = msOf('n', runs, begin);
  const at = `to_timestamp(${ms} / 1000.0)`;
  const old = `n <= ${Math.ceil(runs / 100)}`;
  const open = `n > ${runs - 12}`;
  const repeated = Math.ceil(runs / 2);
  await withoutIndexes(ask, ['executions', 'execution_hosts', 'execution_labels'], async () => {
    await ask(
      `insert into executions (id, tenant_id, plan_id, plan_revision, plan_name, environment_id, environment_name, status,
          execution_mode, snapshot, digest, started_by, started_by_name, started_via, created_at, started_at, finished_at,
          host_count, parent_id, pause_reason, legal_hold)
        select ${idOf('n', ms)}, $1,
          case when ${old} then ${fixedId('plan', `'old'`)} when n % 997 = 3 then ${fixedId('plan', `'seldom'`)} else ${fixedId('plan', 'n % 7')} end,
          1, 'Plan', case when ${old} then $2::uuid when n % 1000 = 7 then $3::uuid when n % 10 < 6 then $4::uuid
            when n % 10 < 9 then $5::uuid else ($6::uuid[])[(1 + (n / 10) % cardinality($6::uuid[]))::int] end, 'Environment',
          case when ${open} then (array['PENDING', 'RUNNING', 'PAUSED'])[(1 + n % 3)::int] when n % 4999 = 5 then 'REJECTED'
            when n % 29 = 1 then 'FAILED' else 'SUCCEEDED' end,
          case when n % 3001 = 2 then 'interactive' when n % 11 = 4 then 'dry_run' else 'auto' end,
          jsonb_build_object('steps', '[]'::jsonb, 'note', repeat(md5(n::text), 12)), md5(n::text),
          case when n % 1000 = 9 then $7::uuid else $8::uuid end, 'Member', 'session', ${at}, ${at},
          case when ${open} then null else ${at} + interval '1 minute' end, 1,
          case when n > ${repeated} and n % 50 = 1 then ${idOf(`${repeated}`, msOf(`${repeated}`, runs, begin))}
            when n % 50 = 2 then ${idOf('n - 1', msOf('n - 1', runs, begin))} end,
          case when ${open} and n % 3 = 2 then 'GATE' end, n % 2003 = 6
        from generate_series(1, ${runs}::bigint) n`,
      [
        ...[tenantId, environments.old, environments.rare, environments.busy, environments.common, environments.small],
        ...[starters.seldom, starters.often],
      ],
    );
    await ask(
      `insert into execution_hosts (tenant_id, execution_id, server_id, ordinal, name, hostname, port, username, ssh_key_id, tags,
          status)
        select $1, ${idOf('n', ms)}, case when ${old} then ${fixedId('server', `'old'`)}
            when n % 1009 = 3 then ${fixedId('server', `'seldom'`)} else ${fixedId('server', 'n % 13')} end,
          0, 'server', 'server.invalid', 22, 'deploy', ${fixedId('key', 1)}, '{}', 'SUCCEEDED'
        from generate_series(1, ${runs}::bigint) n`,
      [tenantId],
    );
    await ask(
      `insert into execution_labels (tenant_id, execution_id, key, value)
        select $1, ${idOf('n', ms)}, key, value from generate_series(1, ${runs}::bigint) n
          cross join lateral (values ('team', case when ${old} then 'old' when n % 1013 = 3 then 'seldom' else 'often' end),
            ('ring', case when n % 5 = 1 then 'often' end)) l (key, value)
          where value is not null`,
      [tenantId],
    );
  });
  const [head] = await ask<{ sequence: string }>('select sequence from audit_heads where tenant_id = $1', [tenantId]);
  const first = Number(head?.sequence ?? 0);
  // Entries from the creation of the tenant must be older than the history, because the audit chain is in order of
  // time.
  await ask('update audit_entries set at = $2 where tenant_id = $1', [tenantId, new Date(begin)]);
  await withoutIndexes(ask, ['audit_entries'], () =>
    ask(
      `insert into audit_entries (id, tenant_id, sequence, at, actor_kind, actor_id, actor_name, action, resource_type, resource_id,
          hash)
        select ${idOf('n + 1000000000', msOf('n', entries, begin))}, $1, ${first} + n, to_timestamp(${msOf('n', entries, begin)} / 1000.0),
          'user', case when n % 1000 = 9 then $2::uuid else $3::uuid end, 'Member',
          case when n % 5003 = 4 then 'member.create' when n % 4 = 0 then 'execution.start' else 'execution.finish' end,
          case when n % 5003 = 4 then 'member' else 'execution' end,
          case when n % 1013 = 2 then ${fixedId('resource', `'seldom'`)} when n % 17 = 1 then ${fixedId('resource', `'often'`)}
            else ${fixedId('resource', 'n')} end,
          decode(md5(n::text), 'hex')
        from generate_series(1, ${entries}::bigint) n`,
      [tenantId, starters.seldom, starters.often],
    ),
  );
  await ask('update audit_heads set sequence = $2 where tenant_id = $1', [tenantId, first + entries]);
  // Includes `vacuum`, because autovacuum would run later.
  for (const table of ['executions', 'execution_hosts', 'execution_labels', 'audit_entries'])
    await ask(`vacuum analyze ${table}`);
  const [places] = await ask<{ places: Omit<HistoryPlaces, 'begin' | 'end'> }>(
    `select jsonb_build_object(
      'plans', jsonb_build_object('often', ${fixedId('plan', 1)}, 'seldom', ${fixedId('plan', `'seldom'`)}, 'old', ${fixedId('plan', `'old'`)}),
      'servers', jsonb_build_object('often', ${fixedId('server', 1)}, 'seldom', ${fixedId('server', `'seldom'`)}, 'old', ${fixedId('server', `'old'`)}),
      'parents', jsonb_build_object('often', ${idOf(`${repeated}`, msOf(`${repeated}`, runs, begin))},
        'once', ${idOf('101', msOf('101', runs, begin))}),
      'resources', jsonb_build_object('often', ${fixedId('resource', `'often'`)}, 'seldom', ${fixedId('resource', `'seldom'`)})) as places`,
  );
  if (!places) throw new Error('The history has no places.');
  return { ...places.places, begin: new Date(begin), end: new Date(end) };
}

/** Drops indexes that are not constraints, fills the tables, and then recreates the indexes. */
async function withoutIndexes(ask: Ask, tables: readonly string[], fill: () => Promise<unknown>): Promise<void> {
  const indexes = await ask<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
      where i.indrelid = any ($1::regclass[]) and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
    [tables],
  );
  for (const { name } of indexes) await ask(`drop index ${name}`);
  await fill();
  for (const { definition } of indexes) await ask(definition);
}
