import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { urlOf } from '../../../../test/support/database.js';
import { newId } from '../../ids.js';
import { APP_ROLE, ownerConnection } from '../connection.js';
import { MIGRATIONS } from './all-migrations.js';
import { TokenHolders20261218000100 } from './20261218000100-token-holders.js';

/** What is stored before an upgrade: two people, a service account, their tokens, and a schedule. */
const [tenant, ann, ben, machine] = [newId(), newId(), newId(), newId()];
const [annsOwn, bensForMachine, childOfIt, exchanged] = [newId(), newId(), newId(), newId()];
const schedule = newId();

let admin: Client;
let stored: Client;
let drop: () => Promise<void>;

/** A database whose owner is no superuser, as that of an outside server mostly is: the tenants' wall holds it off too. */
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
  // The embedded server knows two logins only: one of them acts as the owner.
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
  // References to what the migrations do not look at are left out.
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
}

async function holdersOf(token: string): Promise<string[]> {
  const { rows } = await stored.query<{ held_by: string[] }>('select held_by from api_tokens where id = $1', [token]);
  return rows[0]?.held_by.sort() ?? [];
}

describe('an upgrade of a database whose owner is no superuser', () => {
  it('finds in the trail who was shown the secret of each token', async () => {
    expect(await holdersOf(annsOwn)).toEqual([ann]);
    expect(await holdersOf(bensForMachine)).toEqual([ben]);
    expect(await holdersOf(childOfIt)).toEqual([ben, machine].sort());
    expect(await holdersOf(exchanged)).toEqual([]);
  });

  it('finds in the trail who wrote what a schedule runs', async () => {
    const { rows } = await stored.query<{ user_id: string }>('select user_id from schedule_writers');
    expect(rows.map((row) => row.user_id).sort()).toEqual([ann, ben].sort());
  });

  it('takes the interpreter of scripts for none where it is the default that Runward filled in', async () => {
    const { rows } = await stored.query<{ interpreter: string | null }>(
      'select interpreter from script_revisions order by number',
    );
    expect(rows.map(({ interpreter }) => interpreter)).toEqual([null, 'bash']);
  });

  it('leaves no table without the wall of its tenants', async () => {
    const { rows } = await stored.query(
      `select relname from pg_class c where relkind in ('r', 'p') and relrowsecurity and not relforcerowsecurity
        and not relispartition and relnamespace = 'public'::regnamespace
        and exists (select from pg_policies p where p.tablename = relname and p.policyname = 'tenant_wall')`,
    );
    expect(rows).toEqual([]);
  });
});
