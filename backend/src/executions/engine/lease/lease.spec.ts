import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import type { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { OwnershipLostError } from '../../store/fence.js';
import { Lease } from './lease.js';
import type { LeaseStatus } from './lease-rows.js';

const REF = { tenantId: 'tenant', executionId: 'run' };

class SlowDatabase {
  readonly asked: string[] = [];
  private readonly waiting: { resolve: (rows: unknown) => void; reject: (error: Error) => void }[] = [];
  readonly units = {
    run: <T>(_tenant: string, work: (tx: EntityManager) => Promise<T>) =>
      work({ queryRunner: { query: (text: string) => this.ask(text) } } as unknown as EntityManager),
  } as UnitOfWork;

  answer(rows: unknown[]): void {
    this.waiting.shift()?.resolve({ records: rows, affected: rows.length });
  }

  fail(): void {
    this.waiting.shift()?.reject(new Error('The database does not answer.'));
  }

  private ask(text: string): Promise<unknown> {
    this.asked.push(
      /returning status/.test(text) ? 'renew' : /lease_until = now\(\)\s+where/.test(text) ? 'end' : 'claim',
    );
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }
}

async function leaseOf(database: SlowDatabase, clock?: { now: () => number }): Promise<Lease> {
  const claiming = Lease.claimRun(database.units, REF, 'worker', clock);
  database.answer([{ epoch: 1, flush_seq: '7' }]);
  const claim = await claiming;
  if (claim.kind !== 'claimed') throw new Error('the run was not claimed');
  return claim.lease;
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

const status = (status: LeaseStatus['status']): LeaseStatus => ({ status, stopCause: null });

describe('a lease', () => {
  it('is renewed once more when a person stops the run during a renewal', async () => {
    const database = new SlowDatabase();
    const lease = await leaseOf(database);
    const calls: string[] = [];
    const onRenewal = ({ status }: LeaseStatus) => calls.push(status);
    const first = lease.renewNow(onRenewal);
    await settle();
    const others = [lease.renewNow(onRenewal), lease.renewNow(onRenewal)];
    await settle();
    database.answer([status('RUNNING')]);
    await first;
    await settle();
    expect(database.asked).toEqual(['claim', 'renew', 'renew']);
    database.answer([status('CANCELLING')]);
    await Promise.all(others);
    expect(calls).toEqual(['RUNNING', 'CANCELLING']);
  });

  it('is not kept by a renewal that was running when the lease was returned', async () => {
    const database = new SlowDatabase();
    const lease = await leaseOf(database);
    const refreshPromise = lease.renewNow(() => undefined);
    await settle();
    let enqueued = 0;
    const giveBackPromise = lease.releaseBeforeExpiry(() => Promise.resolve((enqueued += 1)));
    await settle();
    expect(database.asked).toEqual(['claim', 'renew']);
    database.answer([status('RUNNING')]);
    await refreshPromise;
    await settle();
    expect(database.asked).toEqual(['claim', 'renew', 'end']);
    database.answer([{}]);
    await giveBackPromise;
    expect(enqueued).toBe(1);
    await lease.renewNow(() => undefined);
    expect(database.asked).toHaveLength(3);
  });

  it('does not enqueue when another owner already has it', async () => {
    const database = new SlowDatabase();
    const lease = await leaseOf(database);
    let enqueued = 0;
    const giveBackPromise = lease.releaseBeforeExpiry(() => Promise.resolve((enqueued += 1)));
    await settle();
    database.answer([]);
    await giveBackPromise;
    expect(enqueued).toBe(0);
  });
});

describe('a claim of a run', () => {
  it('carries owner and epoch, and continues the flush numbers', async () => {
    const lease = await leaseOf(new SlowDatabase());
    expect(lease.fence).toEqual({ owner: 'worker', epoch: 1 });
    expect([lease.generation, lease.takeFlushNumber(), lease.takeFlushNumber()]).toEqual([2 ** 20, 8, 9]);
  });

  it('reports why it was refused', async () => {
    const database = new SlowDatabase();
    const claiming = Lease.claimRun(database.units, REF, 'worker');
    database.answer([]);
    await settle();
    database.answer([]);
    expect(await claiming).toEqual({ kind: 'nothing_to_do' });
  });

  it('of a slice carries the slice', async () => {
    const database = new SlowDatabase();
    const claiming = Lease.claimSlice(database.units, REF, 'slice', 'worker');
    database.answer([]);
    await settle();
    database.answer([{ epoch: 2, flush_seq: '0', run_epoch: 1 }]);
    const claim = await claiming;
    expect(claim).toMatchObject({ kind: 'claimed', lease: { fence: { owner: 'worker', epoch: 2, sliceId: 'slice' } } });
    const again = Lease.claimSlice(database.units, REF, 'slice', 'worker');
    for (const found of [[], [], [{ id: 'slice' }]]) {
      database.answer(found);
      await settle();
    }
    expect(await again).toEqual({ kind: 'held' });
  });
});

describe('a lease that is kept', () => {
  let database: SlowDatabase;
  let lease: Lease;
  let now: number;
  let calls: string[];
  const pass = async (ms: number) => {
    now += ms;
    await jest.advanceTimersByTimeAsync(ms);
  };
  const keep = () => lease.startRenewing(({ status: found }) => calls.push(found));

  beforeEach(async () => {
    [database, now, calls] = [new SlowDatabase(), 1_000, []];
    lease = await leaseOf(database, { now: () => now });
    jest.useFakeTimers();
  });
  afterEach(() => {
    lease.stop();
    jest.useRealTimers();
  });

  it('is renewed every 5 s, one second after a failure, and not after it is stopped', async () => {
    keep();
    await pass(4_999);
    expect(database.asked).toEqual(['claim']);
    await pass(1);
    expect(database.asked).toEqual(['claim', 'renew']);
    database.answer([status('RUNNING')]);
    await pass(4_999);
    expect(database.asked).toHaveLength(2);
    await pass(1);
    database.fail();
    await pass(999);
    expect(database.asked).toHaveLength(3);
    await pass(1);
    expect(database.asked).toHaveLength(4);
    database.answer([status('CANCELLING')]);
    await pass(0);
    expect([calls, lease.lost.aborted, jest.getTimerCount()]).toEqual([['RUNNING', 'CANCELLING'], false, 1]);
    lease.stop();
    expect(jest.getTimerCount()).toBe(0);
    await pass(60_000);
    expect(database.asked).toHaveLength(4);
  });

  it('is not renewed again when it was stopped during a renewal', async () => {
    keep();
    await pass(5_000);
    lease.stop();
    database.answer([status('RUNNING')]);
    await pass(60_000);
    expect(database.asked).toHaveLength(2);
  });

  it('is lost when a renewal finds another owner, and reveals nothing of the run', async () => {
    keep();
    await pass(5_000);
    database.answer([]);
    await pass(0);
    expect([lease.lost.aborted, calls]).toEqual([true, []]);
    await expect(lease.requireValid()).rejects.toThrow(OwnershipLostError);
  });

  async function demandLease(): Promise<() => string> {
    let state = 'waits';
    lease.requireValid().then(
      () => (state = 'granted'),
      (error: unknown) => (state = error instanceof OwnershipLostError ? 'lost' : 'failed'),
    );
    await pass(0);
    return () => state;
  }

  it('permits new work until 12 s after its last confirmed renewal was requested, then waits for the next one', async () => {
    await pass(12_000);
    expect((await demandLease())()).toBe('granted');
    await pass(1);
    const late = await demandLease();
    await pass(1_000);
    expect(late()).toBe('waits');
    const renewing = lease.renewNow(() => undefined);
    await pass(0);
    await pass(500);
    database.answer([status('RUNNING')]);
    await renewing;
    await pass(199);
    await pass(1);
    expect(late()).toBe('granted');
    // The 12 s count from the request, which was 700 ms ago.
    await pass(12_000 - 700);
    expect((await demandLease())()).toBe('granted');
    await pass(1);
    expect((await demandLease())()).toBe('waits');
    lease.markLost();
    await pass(200);
  });

  it('ends a waiting demand when another owner is seen', async () => {
    await pass(12_001);
    const late = await demandLease();
    await pass(400);
    lease.markLost();
    await pass(200);
    expect(late()).toBe('lost');
  });

  it('stores one flush after the other, even after a failed one', async () => {
    const order: string[] = [];
    const flush = (name: string, work: () => Promise<unknown>) =>
      lease.runInFlushOrder(() => (order.push(name), work()));
    const failing = flush('first', () => Promise.reject(new Error('gone')));
    const second = flush('second', () => Promise.resolve('stored'));
    expect(order).toEqual([]);
    await expect(failing).rejects.toThrow('gone');
    expect([await second, order]).toEqual(['stored', ['first', 'second']]);
  });
});
