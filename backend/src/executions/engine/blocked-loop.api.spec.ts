import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { seededRandom } from '../../../test/support/seeded-random.js';
import { eventually } from '../../../test/support/eventually.js';
import { MAX_SECRET_BYTES } from '../../variables/secret-rules.js';
import { createRedactor, createRedactorInSteps } from '../output/redact-secrets.js';
import { HostOutput } from './progress/host-output.js';

const LINE_BYTES = 64;
const BYTES_PER_STEP = 4096;
const maxSecrets = (() => {
  const random = seededRandom(17);
  const alphabet = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/%\\"'];
  const line = () => random.text(LINE_BYTES - 1, alphabet);
  const values = Array.from({ length: 8 }, () => Array.from({ length: 500 }, line).join('\n'));
  return values.map((value, at) => ({ name: `S${at}`, value }));
})();

describe('a run with the maximum number of secrets', () => {
  it('prepares masking in steps, between which the event loop is free', () => {
    expect(maxSecrets.reduce((sum, { value }) => sum + value.length, 0)).toBeGreaterThan(0.95 * MAX_SECRET_BYTES);
    let steps = 0;
    for (const building = createRedactorInSteps(maxSecrets); !building.next().done; ) steps += 1;
    // Each form of each line is read byte by byte: twice, to add it and to link it.
    expect(steps * BYTES_PER_STEP).toBeGreaterThan(2 * MAX_SECRET_BYTES);
  });

  it('masks at most 4 KB of output before it checks whether other work waits', async () => {
    let turns = 0;
    const share = {
      isBudgetSpent: true,
      run: <T>(work: () => T) => work(),
      waitForTurn: async () => void (turns += 1),
    };
    const outputSink = { scheduleStore: () => undefined, waitUntilStored: () => Promise.resolve() };
    const limits = { headBytes: 1024, tailBytes: 1024 };
    const output = new HostOutput('h', outputSink, createRedactor(maxSecrets), limits, share);
    await output.appendBytes('stdout', Buffer.alloc(32 * 1024, 'plain text\n'));
    expect(turns).toBe(8);
  });
});

describe('a worker whose event loop was blocked', () => {
  let lab: RunLab;
  beforeAll(async () => {
    lab = await startRunLab();
    await lab.runward.worker();
  });
  afterAll(() => lab.close());

  it('reports a command that ended in time with its result, not as timed out', async () => {
    const planId = await lab.plan([
      { command: `touch ${lab.evidence}/began; sleep 0.5; echo done`, timeoutSeconds: 2 },
    ]);
    const { id } = await lab.start(planId);
    await eventually('the command runs', () => existsSync(`${lab.evidence}/began`));
    const until = performance.now() + 4_000;
    while (performance.now() < until);
    const run = await lab.settled(id);
    expect(run.status).toBe('SUCCEEDED');
    expect(await lab.text(id, lab.servers[0]?.id ?? '')).toBe('done\n');
  });

  it('still ends a command that exceeds its time limit', async () => {
    const run = await lab.run([{ command: 'sleep 60', timeoutSeconds: 1 }]);
    expect(run.status).toBe('FAILED');
    expect((await lab.results(run.id))[0]?.status).toBe('TIMED_OUT');
  });

  it('runs commands of one tenant while a run of another prints the maximum number of secrets', async () => {
    const environmentId = await lab.environment('full of secrets');
    for (const { name, value } of maxSecrets)
      expect(
        (await lab.api.put(`/api/environments/${environmentId}/variables/${name}`, { value, secret: true })).status,
      ).toBe(200);
    await lab.server({ name: 'noisy', environmentId, hostname: lab.hosts.sshd.addresses[0] });
    const noisyPlan = await lab.plan(['for i in $(seq 60); do printf "%s\\n" "$S0" "$S1" "plain $i"; done'], {
      environmentId,
    });
    const other = await lab.runward.tenant('other');
    expect(other.tenantId).not.toBe(lab.admin.tenantId);
    const noisyRun = await lab.start(noisyPlan);
    const quietRun = await otherRun(other);
    expect(quietRun.status).toBe('SUCCEEDED');
    const run = await lab.settled(noisyRun.id);
    expect(run.status).toBe('SUCCEEDED');
    const text = (await lab.lines(noisyRun.id)).map((line) => line.text).join('\n');
    expect(text).toContain('‹secret S0›');
    const parts = maxSecrets.slice(0, 2).flatMap(({ value }) => value.split('\n'));
    expect(parts.filter((part) => text.includes(part))).toEqual([]);
  });

  async function otherRun({ api }: RunLab['admin']): Promise<{ status: string }> {
    const made = async (where: string, body: object) => (await api.post<{ id: string }>(where, body)).body.id;
    const { hostKey, port, user, addresses } = lab.hosts.sshd;
    const sshKeyId = await made('/api/ssh-keys', { name: 'key', privateKey: lab.hosts.key.privateKey });
    const environmentId = await made('/api/environments', { name: 'quiet' });
    await made('/api/inventory/servers', {
      name: 'quiet',
      hostname: addresses[0],
      port,
      username: user,
      sshKeyId,
      environmentId,
      hostKey: { publicKey: `${hostKey.type} ${hostKey.publicKey}` },
    });
    const planId = await made('/api/plans', { name: 'quiet', environmentId, steps: [{ key: 'one', command: 'true' }] });
    const id = await made('/api/executions', { planId, execution_mode: 'auto' });
    return (await api.get<{ status: string }>(`/api/executions/${id}?wait=40&until=settled`)).body;
  }
});
