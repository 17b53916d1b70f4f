import { describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import type { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { Lease } from './lease.js';
import type { LeaseStatus } from './lease-rows.js';

const REF = { tenantId: 'tenant', executionId: 'run' };

/** A database that answers each statement when the test says so; what it was asked, in order. */
class SlowDatabase {
  readonly asked: string[] = [];
  private readonly waiting: ((rows: unknown) => void)[] = [];
  readonly units = {
    run: <T>(_tenant: string, work: (tx: EntityManager) => Promise<T>) =>
      work({ query: (text: string) => this.ask(text) } as EntityManager),
  } as UnitOfWork;

  answer(rows: unknown[]): void {
    this.waiting.shift()?.([rows, rows.length]);
  }

  private ask(text: string): Promise<unknown> {
    this.asked.push(
      /returning status/.test(text) ? 'renew' : /lease_until = now\(\) where/.test(text) ? 'end' : 'claim',
    );
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}

async function leaseOf(database: SlowDatabase): Promise<Lease> {
  const claiming = Lease.claim(database.units, REF, 'worker');
  database.answer([{ epoch: 1, flush_seq: '0' }]);
  const claim = await claiming;
  if (claim.kind !== 'claimed') throw new Error('the run was not claimed');
  return claim.lease;
}

/** Lets everything go on that waits for nothing but its turn. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

const status = (status: LeaseStatus['status']): LeaseStatus => ({ status, stopCause: null });

describe('a lease', () => {
  it('asks once more when a person wants the run to stop while a renewal is under way', async () => {
    const database = new SlowDatabase();
    const lease = await leaseOf(database);
    const heard: string[] = [];
    const onRenewal = ({ status }: LeaseStatus) => heard.push(status);
    const first = lease.refresh(onRenewal);
    await settle();
    const others = [lease.refresh(onRenewal), lease.refresh(onRenewal)];
    await settle();
    database.answer([status('RUNNING')]);
    await first;
    await settle();
    expect(database.asked).toEqual(['claim', 'renew', 'renew']);
    database.answer([status('CANCELLING')]);
    await Promise.all(others);
    expect(heard).toEqual(['RUNNING', 'CANCELLING']);
  });

  it('is not held on to by a renewal that was under way when it was given back', async () => {
    const database = new SlowDatabase();
    const lease = await leaseOf(database);
    const looking = lease.refresh(() => undefined);
    await settle();
    let enqueued = 0;
    const givingBack = lease.giveBack(() => Promise.resolve((enqueued += 1)));
    await settle();
    expect(database.asked).toEqual(['claim', 'renew']);
    database.answer([status('RUNNING')]);
    await looking;
    await settle();
    expect(database.asked).toEqual(['claim', 'renew', 'end']);
    database.answer([{}]);
    await givingBack;
    expect(enqueued).toBe(1);
    await lease.refresh(() => undefined);
    expect(database.asked).toHaveLength(3);
  });

  it('calls nobody when somebody else has it already', async () => {
    const database = new SlowDatabase();
    const lease = await leaseOf(database);
    let enqueued = 0;
    const givingBack = lease.giveBack(() => Promise.resolve((enqueued += 1)));
    await settle();
    database.answer([]);
    await givingBack;
    expect(enqueued).toBe(0);
  });
});
