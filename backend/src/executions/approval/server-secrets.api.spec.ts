import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApprovalLab, startApprovalLab } from '../../../test/support/approval-lab.js';

let lab: ApprovalLab;
let serverId: string;
let planId: string;

const put = (key: string, body: object) =>
  lab.operator.api.put(`/api/inventory/servers/${serverId}/variables/${key}`, body);
const secret = (value: string) => put('TOKEN', { value, secret: true });

beforeAll(async () => {
  lab = await startApprovalLab({ hosts: 2 });
  serverId = lab.servers[0]?.id ?? '';
  await secret('first-secret');
  await put('COLOUR', { value: 'blue' });
  planId = await lab.plan([{ key: 'wait', type: 'gate', message: 'on?' }, lab.leaving('colours', '$COLOUR,$TOKEN')]);
});
afterAll(() => lab.close());

describe("an approved run with a server's variables", () => {
  it('needs approval again when a secret of the server was changed before the approval', async () => {
    const { id } = await lab.waiting(planId);
    await secret('second-secret');
    const refused = await lab.approve(id);
    expect([refused.status, refused.body.code]).toEqual([409, 'digest_changed']);
    expect(refused.body.detail).toContain('The secret "TOKEN" of the server "web-1" was changed');
    expect((await lab.approve(id)).status).toBe(200);
    await lab.api.post(`/api/executions/${id}/cancel`, {});
  });

  it('returns to approval when one was changed after it, and runs with the new value and the plain ones of the start', async () => {
    await lab.runward.worker();
    const { id } = await lab.waiting(planId);
    expect((await lab.approve(id)).status).toBe(200);
    expect((await lab.paused(id)).pause?.reason).toBe('GATE');
    await secret('third-secret');
    await put('COLOUR', { value: 'red' });
    await lab.operator.api.post(`/api/executions/${id}/decisions`, { stepKey: 'wait', action: 'proceed' });
    const again = await lab.paused(id);
    expect([again.pause?.reason, JSON.stringify(again)]).toEqual([
      'APPROVAL',
      expect.stringContaining('of the server \\"web-1\\"'),
    ]);
    expect((await lab.approve(id)).status).toBe(200);
    expect((await lab.ended(id)).status).toBe('SUCCEEDED');
    expect((await lab.left('colours')).split('\n').filter(Boolean).sort()).toEqual([',', 'blue,third-secret']);
  });
});
