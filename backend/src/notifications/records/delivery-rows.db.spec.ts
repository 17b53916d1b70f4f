import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ServerStock, startServerStock } from '../../../test/support/server-database.js';
import { queryAs } from '../../../test/support/table-contents.js';
import { newId } from '../../common/ids.js';
import { type ClaimedDelivery, claimDelivery, storeOutcome } from './delivery-rows.js';

const [ruleId, deliveryId] = [newId(), newId()];
const SENT = { state: 'sent', errorCode: null, error: null } as const;
let stock: ServerStock;
let tenantId: string;

const store = ({ epoch }: { epoch: number }) =>
  stock.units.run(tenantId, (tx) => storeOutcome(tx, { tenantId, id: deliveryId, epoch }, SENT));
const state = async () =>
  (
    await queryAs<{ state: string }>(
      stock.database,
      tenantId,
      'select state from notification_deliveries where id = $1',
      [deliveryId],
    )
  )[0]?.state;

beforeAll(async () => {
  stock = await startServerStock();
  tenantId = await stock.tenant('acme');
  await queryAs(
    stock.database,
    tenantId,
    `insert into notification_rules (id, tenant_id, name, enabled, channel_type, channel, events, owner_name)
      values ($1, $2, 'rule', true, 'email', '{}', '{}', 'owner')`,
    [ruleId, tenantId],
  );
  await queryAs(
    stock.database,
    tenantId,
    `insert into notification_deliveries (id, tenant_id, rule_id, event, cause, subject, state, epoch, due_at, give_up_at)
      values ($1, $2, $3, 'summary', 'x', 'x', 'waiting', 4, now(), now() + interval '1 day')`,
    [deliveryId, tenantId, ruleId],
  );
});
afterAll(() => stock.close());

describe('the result of an attempt', () => {
  it('is stored only by the worker that claimed the delivery last', async () => {
    const claimed = (await stock.units.run(tenantId, (tx) =>
      claimDelivery(tx, tenantId, deliveryId),
    )) as ClaimedDelivery;
    expect([await store({ epoch: claimed.epoch - 1 }), await state()]).toEqual([false, 'sending']);
    expect([await store(claimed), await state()]).toEqual([true, 'sent']);
  });
});
