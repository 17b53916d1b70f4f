import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import { urlOf } from '../../../../test/support/database.js';
import { createOwnerConnectionOptions } from '../connection.js';
import { SchedulePauses20261128131000 } from './20261128131000-schedule-pauses.js';
import { MIGRATIONS } from './all-migrations.js';

const name = `runward_test_${randomBytes(6).toString('hex')}`;
const FIRST = MIGRATIONS.findIndex((Migration) => Migration === SchedulePauses20261128131000);
let admin: Client;
let owner: DataSource;
let runner: QueryRunner;

const migrate = async (migrations: typeof MIGRATIONS): Promise<void> => {
  for (const Migration of migrations) {
    await runner.startTransaction();
    await new Migration().up(runner);
    await runner.commitTransaction();
  }
};

beforeAll(async () => {
  const server = process.env.RUNWARD_TEST_DATABASE ?? '';
  admin = new Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create database ${name}`);
  owner = await new DataSource(createOwnerConnectionOptions(urlOf(server, name))).initialize();
  runner = owner.createQueryRunner();
  await migrate(MIGRATIONS.slice(0, FIRST));
});
afterAll(async () => {
  await runner?.release();
  await owner?.destroy();
  await admin.query(`drop database if exists ${name} with (force)`);
  await admin.end();
});

it('give stored names the ID of the only member with the name, and rename stored events', async () => {
  const [tenant, ann] = [randomUUID(), randomUUID()];
  await runner.query('insert into tenants (id, name) values ($1, $2)', [tenant, 'acme']);
  for (const [id, member] of [
    [ann, 'Ann'],
    [randomUUID(), 'Bob'],
    [randomUUID(), 'Bob'],
  ])
    await runner.query('insert into users (id, tenant_id, email, name, role) values ($1, $2, $3, $4, $5)', [
      ...[id, tenant, `${id}@example.org`, member, 'admin'],
    ]);
  for (const member of ['Ann', 'Bob', 'Removed'])
    await runner.query('insert into shared_addresses (tenant_id, address, reason, marked_by) values ($1, $2, $3, $2)', [
      ...[tenant, member, 'gateway'],
    ]);
  await runner.query(
    `insert into notification_rules (id, tenant_id, name, enabled, channel_type, channel, events, owner_name)
      values ($1, $2, 'rule', true, 'email', '{}', array['failed', 'protection_changed', 'approval_requested'], 'Ann')`,
    [randomUUID(), tenant],
  );
  await migrate(MIGRATIONS.slice(FIRST));
  expect(await runner.query('select marked_by, marked_by_id from shared_addresses order by 1')).toEqual([
    { marked_by: 'Ann', marked_by_id: ann },
    { marked_by: 'Bob', marked_by_id: null },
    { marked_by: 'Removed', marked_by_id: null },
  ]);
  expect(await runner.query('select events from notification_rules')).toEqual([
    { events: ['execution.failed', 'environment.protection_changed', 'approval.requested'] },
  ]);
});
