import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { ServerView } from '../../inventory/servers.view.js';

let lab: RunLab;
beforeAll(async () => {
  lab = await startRunLab({ hosts: 2, settings: { RUNWARD_REFUSED_ADDRESSES: '127.0.1.2,::1' } });
  await lab.runward.worker();
});
afterAll(() => lab.close());

const reason = { code: 'address_refused', text: expect.stringContaining('RUNWARD_REFUSED_ADDRESSES') };

describe('a server at an address that the installation refuses', () => {
  it('is unreachable for a run and a dry run, with the reason, while other hosts are reached', async () => {
    const planId = await lab.plan(['true']);
    for (const mode of ['auto', 'dry_run']) {
      const { id } = await lab.start(planId, { execution_mode: mode });
      await lab.settled(id);
      const results = await lab.results(id);
      expect(results.map(({ serverName, status }) => [serverName, status])).toContainEqual(['web-2', 'UNREACHABLE']);
      expect(results.find(({ serverName }) => serverName === 'web-2')).toMatchObject({ reason });
      expect(results.find(({ serverName }) => serverName === 'web-1')?.status).not.toBe('UNREACHABLE');
    }
  });

  it('is unreachable for a check, which shows no host key of it', async () => {
    const { id } = await lab.server({
      hostname: '::ffff:127.0.1.2',
      environmentId: await lab.environment('other'),
      hostKey: undefined,
    });
    const { status, body } = await lab.api.post<ServerView>(`/api/inventory/servers/${id}/check`);
    expect([status, body.seenHostKey]).toEqual([200, null]);
    expect(body.lastCheck).toMatchObject({ state: 'unreachable', reason: { text: reason.text } });
  });
});
