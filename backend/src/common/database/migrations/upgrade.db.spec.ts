import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { urlOf } from '../../../../test/support/database.js';
import { newId } from '../../ids.js';
import { APP_ROLE, ownerConnection } from '../connection.js';
import { MIGRATIONS } from './all-migrations.js';
import { TokenHolders20261218000100 } from './20261218000100-token-holders.js';

const [tenant, ann, ben, machine] = [newId(), newId(), newId(), newId()];
const [annsOwn, bensForMachine, childOfIt, exchanged] = [newId(), newId(), newId(), newId()];
const schedule = newId();
const [boundPlan, unboundPlan] = [newId(), newId()];
const [live, stage] = [newId(), newId()];
const servers = {
  ...{ used: newId(), idle: newId(), claim: newId(), keyClaim: newId(), ran: newId(), shared: newId() },
  ...{ taken: newId(), keyed: newId(), both: newId(), new: newId() },
};

let admin: Client;
let stored: Client;
let drop: () => Promise<void>;

/** The owner is not a superuser, as on most external servers, so tenant isolation applies to the owner too. */
beforeAll(async () => {
  const server = process.env.RUNWARD_TEST_DATABASE ?? '';
  const name = `runward_test_${randomBytes(6).toString('hex')}`;
  admin = new Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create role ${name} nologin nosuperuser nobypassrls createrole`);
  await admin.query(`grant ${APP_ROLE} to ${name} with admin option`);
  await admin.query(`create database ${name} owner ${name}`);
  drop = async () => {
    await admin.query(`drop database ${name} with (force)`);
    await admin.query(`drop role ${name}`);
    await admin.end();
  };
  const url = new URL(urlOf(server, name));
  // The embedded server has only two logins. One of them acts as the owner.
  url.searchParams.set('options', `-c role=${name}`);
  const migrateBy = async (migrations: typeof MIGRATIONS): Promise<void> => {
    const owner = await new DataSource({
      ...ownerConnection(url.toString()),
      migrations,
      migrationsTableName: 'runward_migrations',
      migrationsTransactionMode: 'each',
    }).initialize();
    try {
      await owner.runMigrations();
    } finally {
      await owner.destroy();
    }
  };
  await migrateBy(MIGRATIONS.slice(0, MIGRATIONS.indexOf(TokenHolders20261218000100)));
  stored = new Client({ connectionString: urlOf(server, name) });
  await stored.connect();
  await store();
  await migrateBy(MIGRATIONS);
});
afterAll(async () => {
  await stored?.end();
  await drop?.();
});

async function store(): Promise<void> {
  // Disables foreign keys: the test omits rows that the migrations do not read.
  await stored.query(`set session_replication_role = replica; set app.tenant = '${tenant}'`);
  const user = (id: string, name: string, kind: string): Promise<unknown> =>
    stored.query(`insert into users (id, tenant_id, email, name, role, kind) values ($1, $2, $3, $3, 'operator', $4)`, [
      ...[id, tenant, name, kind],
    ]);
  await user(ann, 'ann', 'person');
  await user(ben, 'ben', 'person');
  await user(machine, 'machine', 'service_account');
  const token = (id: string, userId: string, parent: string | null, ofProgram = false): Promise<unknown> =>
    stored.query(
      `insert into api_tokens (id, tenant_id, user_id, name, prefix, secret_hash, parent_token_id, exchanged)
        values ($1, $2, $3, $4, $4, '', $5, $6)`,
      [id, tenant, userId, id, parent, ofProgram],
    );
  await token(annsOwn, ann, null);
  await token(bensForMachine, machine, null);
  await token(childOfIt, machine, bensForMachine);
  await token(exchanged, machine, null, true);
  for (const [number, interpreter] of ['/bin/sh', 'bash'].entries())
    await stored.query(
      `insert into script_revisions (id, tenant_id, record_id, number, content, interpreter, created_by, created_by_name)
        values ($1, $2, $2, $3, '', $4, $2, '')`,
      [newId(), tenant, number, interpreter],
    );
  await stored.query(
    `insert into plans (id, tenant_id, name, description, revision, environment_id)
        values ($1, $3, 'bound', '', 1, $4), ($2, $3, 'unbound', '', 1, null)`,
    [boundPlan, unboundPlan, tenant, live],
  );
  const narrow = (id: string, planIds: string[]): Promise<unknown> =>
    stored.query('update api_tokens set scope_plan_ids = $2 where id = $1', [id, planIds]);
  await narrow(annsOwn, [boundPlan]);
  await narrow(bensForMachine, [unboundPlan, boundPlan]);
  await narrow(childOfIt, [unboundPlan]);
  const entry = (actor: string, action: string, about: string): Promise<unknown> =>
    stored.query(
      `insert into audit_entries (id, tenant_id, actor_kind, actor_id, action, resource_type, resource_id)
        values ($1, $2, 'user', $3, $4, 'any', $5)`,
      [newId(), tenant, actor, action, about],
    );
  await entry(ben, 'token.create', bensForMachine);
  await entry(machine, 'token.create', childOfIt);
  await entry(ann, 'schedule.create', schedule);
  await entry(ben, 'schedule.update', schedule);
  await entry(machine, 'schedule.pause', schedule);
  await stored.query(
    `insert into schedules (id, tenant_id, name, plan_id, environment_id, execution_mode, every_seconds, time_zone, on_overlap,
        on_missed, enabled, owner_id, owner_name)
      values ($1, $2, 'nightly', $3, $3, 'auto', 60, 'UTC', 'skip', 'skip', false, $4, 'ann')`,
    [schedule, tenant, newId(), ann],
  );
  await storeServers();
}

const keyOf = (name: string) => JSON.stringify({ type: 'ssh-ed25519', publicKey: name, fingerprint: `SHA256:${name}` });

async function storeServers(): Promise<void> {
  const environment = (id: string, isProtected: boolean): Promise<unknown> =>
    stored.query(`insert into environments (id, tenant_id, name, description, protected) values ($1, $2, $3, '', $4)`, [
      ...[id, tenant, isProtected ? 'live' : 'stage', isProtected],
    ]);
  await environment(live, true);
  await environment(stage, false);
  const server = (
    name: keyof typeof servers,
    environmentId: string,
    { address = name, key, reached }: { address?: string; key?: string; reached?: string },
  ): Promise<unknown> =>
    stored.query(
      `insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, tags, host_key,
          last_reached_address, state, state_since, checked_at)
        values ($1, $2, $3, $4, $5, 22, 'deploy', $2, '{}', $6, $7, $8, $9, $9)`,
      [
        ...[servers[name], tenant, environmentId, name, address, key ? keyOf(key) : null, reached ?? null],
        ...[reached ? 'reachable' : 'unchecked', reached ? new Date() : null],
      ],
    );
  await server('used', live, { reached: '10.0.0.1', key: 'used' });
  await server('idle', live, { key: 'idle' });
  await server('claim', live, { address: 'TAKEN.' });
  await server('keyClaim', live, { key: 'keyed' });
  await server('ran', live, { address: 'both' });
  await server('shared', live, { key: 'image' });
  await server('taken', stage, { reached: '10.0.0.2', key: 'taken' });
  await server('keyed', stage, { reached: '10.0.0.3', key: 'keyed' });
  await server('both', stage, { reached: '10.0.0.4', key: 'image' });
  await server('new', stage, { key: 'new' });
  await stored.query(`insert into shared_host_keys (tenant_id, fingerprint, reason) values ($1, 'SHA256:image', 'x')`, [
    tenant,
  ]);
  const run = newId();
  await stored.query(
    `insert into execution_hosts (tenant_id, execution_id, server_id, ordinal, name, hostname, port, username, ssh_key_id, tags)
      values ($1, $2, $3, 0, 'ran', 'both', 22, 'deploy', $1, '{}')`,
    [tenant, run, servers.ran],
  );
  await stored.query(
    `insert into host_results (tenant_id, execution_id, step_index, server_id, status) values ($1, $2, 0, $3, 'FAILED')`,
    [tenant, run, servers.ran],
  );
}

async function proofsOf(name: keyof typeof servers): Promise<string[]> {
  const { rows } = await stored.query<{ proof: string }>(
    `select address || ' ' || fingerprint || case when proved_at is null then '' else ' proved' end
        || case when confirmed_by is null then '' else ' by ' || confirmed_by end as proof
      from host_proofs where server_id = $1 order by 1`,
    [servers[name]],
  );
  return rows.map(({ proof }) => proof);
}

async function holdersOf(token: string): Promise<string[]> {
  const { rows } = await stored.query<{ held_by: string[] }>('select held_by from api_tokens where id = $1', [token]);
  return rows[0]?.held_by.sort() ?? [];
}

describe('an upgrade of a database whose owner is not a superuser', () => {
  it('finds the members who saw the secret of each token in the audit trail', async () => {
    expect(await holdersOf(annsOwn)).toEqual([ann]);
    expect(await holdersOf(bensForMachine)).toEqual([ben]);
    expect(await holdersOf(childOfIt)).toEqual([ben, machine].sort());
    expect(await holdersOf(exchanged)).toEqual([]);
  });

  it('narrows tokens with plans to the environments of these plans', async () => {
    const { rows } = await stored.query<{ plans: string[]; environments: string[] }>(
      `select scope_plan_ids as plans, scope_environment_ids as environments from api_tokens where id = any ($1) order by id`,
      [[annsOwn, bensForMachine, childOfIt, exchanged]],
    );
    expect(rows).toEqual([
      { plans: [boundPlan], environments: [live] },
      { plans: [boundPlan], environments: [live] },
      { plans: [unboundPlan], environments: [] },
      { plans: null, environments: null },
    ]);
  });

  it('finds the authors of a schedule in the audit trail', async () => {
    const { rows } = await stored.query<{ user_id: string }>('select user_id from schedule_writers');
    expect(rows.map((row) => row.user_id).sort()).toEqual([ann, ben].sort());
  });

  it('removes the interpreter of scripts where it is the default that Runward filled in', async () => {
    const { rows } = await stored.query<{ interpreter: string | null }>(
      'select interpreter from script_revisions order by number',
    );
    expect(rows.map(({ interpreter }) => interpreter)).toEqual([null, 'bash']);
  });

  it('keeps the protection of servers in protected environments, except hosts that only other servers reached', async () => {
    expect(await proofsOf('used')).toEqual([
      '10.0.0.1  proved by upgrade',
      '10.0.0.1 SHA256:used proved by upgrade',
      'used  proved by upgrade',
    ]);
    expect(await proofsOf('idle')).toEqual(['idle  by upgrade', 'idle SHA256:idle by upgrade']);
    expect(await proofsOf('claim')).toEqual([]);
    expect(await proofsOf('keyClaim')).toEqual([]);
    expect(await proofsOf('ran')).toEqual(['both  proved by upgrade']);
    expect(await proofsOf('shared')).toEqual(['shared  by upgrade', 'shared SHA256:image by upgrade']);
  });

  it('records earlier logins to servers of other environments', async () => {
    expect(await proofsOf('taken')).toEqual(['10.0.0.2  proved', '10.0.0.2 SHA256:taken proved', 'taken  proved']);
    expect(await proofsOf('new')).toEqual([]);
  });

  it('leaves no table without tenant isolation', async () => {
    const { rows } = await stored.query(
      `select relname from pg_class c where relkind in ('r', 'p') and relrowsecurity and not relforcerowsecurity
        and not relispartition and relnamespace = 'public'::regnamespace
        and exists (select from pg_policies p where p.tablename = relname and p.policyname = 'tenant_wall')`,
    );
    expect(rows).toEqual([]);
  });
});
