import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runWithinOpenUnit } from '../database/unit-of-work.js';
import { toThreadFileUrl, type ThreadJob, ThreadPool, type ThreadShare } from './thread-pool.js';

const jobFile = (name: string) => toThreadFileUrl(`../../../test/support/thread-jobs/${name}`, import.meta.url);
const SPIN: ThreadJob<{ ms: number }, { began: number; ended: number }> = { file: jobFile('spin'), runMs: 20_000 };
const request = (tenantId: string): ThreadShare => ({ tenantId, asks: 'request' });
const run = (tenantId: string): ThreadShare => ({ tenantId, asks: 'run' });

let pool: ThreadPool;
beforeEach(() => {
  pool = new ThreadPool();
});
afterEach(() => pool.onModuleDestroy());

describe('the pool of threads', () => {
  it('never gives a tenant all threads, and gives other tenants their turn before the rest of its queue', async () => {
    const order: string[] = [];
    const spin = (tenant: string) => pool.run(SPIN, { ms: 200 }, request(tenant)).then(() => order.push(tenant));
    // Starts all threads first, because the time this takes depends on the machine.
    await Promise.all(Array.from({ length: pool.perTenant + 1 }, (_, index) => spin(`${index}`)));
    const hog = Array.from({ length: 8 * pool.perTenant }, () => spin('hog'));
    await hog[0];
    await spin('other');
    // Jobs that were running may end before the other tenant's job, but waiting jobs may not.
    expect(order.filter((tenant) => tenant === 'hog').length).toBeLessThanOrEqual(4 * pool.perTenant);
    await Promise.all(hog);
  });

  it('ends a job at its time limit and continues with the next', async () => {
    const hasty = { ...SPIN, runMs: 50 };
    await expect(pool.run(hasty, { ms: 60_000 }, run('a'))).rejects.toMatchObject({
      name: 'JobEnded',
      exceeded: 'time',
    });
    const { began, ended } = await pool.run(SPIN, { ms: 1 }, run('a'));
    expect(ended).toBeGreaterThan(began);
  });

  it('ends a job at its memory limit and continues with the next', async () => {
    const hoard = { file: jobFile('hoard'), runMs: 20_000 };
    await expect(pool.run(hoard, {}, run('a'))).rejects.toMatchObject({ name: 'JobEnded', exceeded: 'memory' });
    await pool.run(SPIN, { ms: 1 }, run('a'));
  });

  it("refuses a request when many of its tenant wait, but no other tenant's request and no run", async () => {
    const asked = Promise.allSettled(Array.from({ length: 60 }, () => pool.run(SPIN, { ms: 5 }, request('hog'))));
    await pool.run(SPIN, { ms: 1 }, request('other'));
    await pool.run(SPIN, { ms: 1 }, run('hog'));
    const answers = await asked;
    const refused = answers.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThanOrEqual(30);
    for (const answer of refused)
      expect(answer).toMatchObject({
        reason: { status: 429, code: 'too_many_at_once', extras: { headers: { 'Retry-After': expect.any(String) } } },
      });
  });

  it('rejects when the code of a job fails or does not exist', async () => {
    await expect(pool.run({ ...SPIN, file: jobFile('none') }, { ms: 1 }, run('a'))).rejects.toThrow(/none/);
    await pool.run(SPIN, { ms: 1 }, run('a'));
  });

  it('rejects running and waiting jobs when it is closed', async () => {
    const asked = Array.from({ length: 5 }, () => pool.run(SPIN, { ms: 60_000 }, request('a')));
    const answers = Promise.allSettled(asked);
    await pool.onModuleDestroy();
    for (const answer of await answers) expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'busy' } });
    await expect(pool.run(SPIN, { ms: 1 }, request('a'))).rejects.toMatchObject({ code: 'busy' });
  });

  it('rejects within a unit of work, but not after it', async () => {
    let after: Promise<unknown> | undefined;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    await runWithinOpenUnit(async () => {
      await expect(pool.run(SPIN, { ms: 1 }, request('a'))).rejects.toThrow(/within a unit of work/);
      after = ended.then(() => pool.run(SPIN, { ms: 1 }, request('a')));
    });
    end();
    await after;
  });
});
