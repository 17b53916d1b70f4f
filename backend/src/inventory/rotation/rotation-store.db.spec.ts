import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { type ServerStock, startServerStock } from '../../../test/support/server-database.js';
import { queryAs } from '../../../test/support/table-contents.js';
import { newId } from '../../common/ids.js';
import type { ClaimedRotation } from './rotation-record.js';
import { claimRotation, releaseLease, renewLease, storeHostState } from './rotation-store.js';

const [rotationId, serverId] = [newId(), newId()];
let stock: ServerStock;
let tenantId: string;
let claimed: ClaimedRotation;

const inUnit = <T>(work: (tx: EntityManager) => Promise<T>) => stock.units.run(tenantId, work);
const stored = () =>
  queryAs(
    stock.database,
    tenantId,
    `select r.epoch, r.lease_until, h.state from key_rotations r
      join key_rotation_hosts h on h.rotation_id = r.id where r.id = $1`,
    [rotationId],
  );

beforeAll(async () => {
  stock = await startServerStock();
  tenantId = await stock.tenant('acme');
  await queryAs(
    stock.database,
    tenantId,
    `insert into key_rotations (id, tenant_id, old_key_id, new_key_id, key_name, new_key_name, old_fingerprint,
        new_fingerprint, requested_by, created_by, epoch)
      values ($1, $2, $2, $2, 'old', 'new', 'a', 'b', '{}', $2, 4)`,
    [rotationId, tenantId],
  );
  await queryAs(
    stock.database,
    tenantId,
    `insert into key_rotation_hosts (tenant_id, rotation_id, server_id, environment_id, name, requested_by)
      values ($2, $1, $3, $2, 'web-1', '{}')`,
    [rotationId, tenantId, serverId],
  );
  claimed = (await inUnit((tx) => claimRotation(tx, tenantId, rotationId))) as ClaimedRotation;
});
afterAll(() => stock.close());

const WRITES: [string, (tx: EntityManager, rotation: ClaimedRotation) => Promise<unknown>][] = [
  ['the renewal of its lease', renewLease],
  ['the end of its lease', releaseLease],
  [
    'the state of a host',
    (tx, rotation) => storeHostState(tx, rotation, serverId, ['pending'], { state: 'installed' }),
  ],
];

describe('a worker whose rotation another worker has claimed since', () => {
  it.each(WRITES)('does not store %s', async (_, write) => {
    const before = await stored();
    await inUnit((tx) => write(tx, { ...claimed, epoch: claimed.epoch - 1 }));
    expect(await stored()).toEqual(before);
  });
});

describe('the worker that has claimed the rotation', () => {
  it.each(WRITES)('stores %s', async (_, write) => {
    const before = await stored();
    await inUnit((tx) => write(tx, claimed));
    expect(await stored()).not.toEqual(before);
  });
});
