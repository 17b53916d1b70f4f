import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '../../../test/support/api-client.js';
import type { TestMember, TestWorker } from '../../../test/support/installation.js';
import { eventually } from '../../../test/support/eventually.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { JobQueue } from '../../common/queue/job-queue.js';

const HOSTS = 6;
let lab: RunLab;
let worker: TestWorker | null = null;

/** A tenant with one user and one environment. All tenants use the same hosts. */
interface Tenant {
  start(word: string, host: number): Promise<string>;
}

const created = async (api: ApiClient, where: string, body: unknown): Promise<string> => {
  const { status, body: made, text } = await api.post<{ id: string }>(where, body);
  if (status !== 201) throw new Error(`POST ${where}: ${status} ${text}`);
  return made.id;
};

async function tenant({ api }: TestMember, evidence: string): Promise<Tenant> {
  const { sshd, key } = lab.hosts;
  const environmentId = await created(api, '/api/environments', { name: 'fair' });
  const sshKeyId = await created(api, '/api/ssh-keys', { name: 'fair', privateKey: key.privateKey });
  for (const [index, hostname] of sshd.addresses.entries()) {
    const server = { name: `host-${index}`, hostname, port: sshd.port, username: sshd.user, sshKeyId, environmentId };
    const hostKey = lab.hosts.hostKey(hostname);
    await created(api, '/api/inventory/servers', { ...server, hostKey });
  }
  return {
    async start(word, host) {
      const planId = await created(api, '/api/plans', {
        name: word,
        environmentId,
        targets: `name=host-${host}`,
        steps: [{ key: 'mark', command: `echo ${word} >> ${lab.evidence}/${evidence}` }],
      });
      return created(api, '/api/executions', { planId, execution_mode: 'auto' });
    },
  };
}
const left = async (evidence: string) => (await lab.left(evidence)).split('\n').filter(Boolean);

beforeAll(async () => {
  lab = await startRunLab({ hosts: HOSTS });
});
afterEach(async () => {
  await worker?.stop();
  worker = null;
});
afterAll(() => lab.close());

describe('runs that wait for a worker', () => {
  it('are taken from the tenants in turn, and in order within a tenant', async () => {
    const [many, some, one] = await Promise.all([1, 2, 3].map(async () => tenant(await lab.runward.tenant(), 'order')));
    for (let n = 0; n < HOSTS; n += 1) await many?.start(`many-${n}`, n);
    for (let n = 0; n < 2; n += 1) await some?.start(`some-${n}`, n);
    await one?.start('one-0', 0);
    worker = await lab.runward.worker({ runSlots: 1 });
    await eventually('all have run', async () => (await left('order')).length === HOSTS + 3);
    expect(await left('order')).toEqual('many-0 some-0 one-0 many-1 some-1 many-2 many-3 many-4 many-5'.split(' '));
  });

  it('have one job in the queue, however often they are found waiting', async () => {
    const member = await lab.runward.tenant();
    const executionId = await (await tenant(member, 'once')).start('once', 0);
    const { app, database } = lab.runward;
    const enqueue = (ref: { tenantId: string; executionId: string }) =>
      app
        .get(UnitOfWork)
        .run(ref.tenantId, (tx) => app.get(JobQueue).enqueueAdvanceRun(tx, ref, { atMostEverySeconds: 1 }));
    await enqueue({ tenantId: member.tenantId, executionId });
    const jobs = await database.query<{ state: string }>(
      `select state from pgboss.job where data->>'executionId' = $1`,
      [executionId],
    );
    expect(jobs).toEqual([{ state: 'created' }]);
    await database.query(`delete from pgboss.job where data->>'executionId' = $1`, [executionId]);
    await enqueue({ tenantId: member.tenantId, executionId });
    worker = await lab.runward.worker();
    await eventually('it has run', async () => (await left('once')).length === 1);
  });
});
