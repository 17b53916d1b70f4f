import { AsyncLocalStorage } from 'node:async_hooks';
import { type EntityManager, DataSource, QueryFailedError } from 'typeorm';
import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import type { BoundedClient, FailedStatement } from './bounded-client.js';
import { databaseFaults } from './database-faults.js';
import type { Sql } from './sql.js';

/** Each unit has a flag for its end, because work that it started can outlive it. */
const openUnitStorage = new AsyncLocalStorage<{ open: boolean }>();

export async function runWithinOpenUnit<T>(work: () => Promise<T>): Promise<T> {
  const unit = { open: true };
  try {
    return await openUnitStorage.run(unit, work);
  } finally {
    unit.open = false;
  }
}

/**
 * Rejects a caller inside a unit of work. Call it before a long wait, which would otherwise block a pooled connection
 * and locked rows.
 * @throws Error when the caller is within an open unit of work
 */
export function requireNoOpenUnit(): void {
  if (openUnitStorage.getStore()?.open)
    throw new Error('This function can wait long, so it must not be called within a unit of work.');
}

export interface UnitHooks {
  /** Runs first in the unit. An error ends the unit before its work begins. */
  afterBegin(tx: EntityManager): Promise<void>;
  /** Runs after the work and before the commit, in the same transaction. */
  beforeCommitting(tx: EntityManager, result: unknown): Promise<void>;
}

const hooksStorage = new AsyncLocalStorage<UnitHooks>();

/** Runs `work`, and applies `hooks` to all units of work in it. */
export const runWithUnitHooks = <T>(hooks: UnitHooks, work: () => T): T => hooksStorage.run(hooks, work);

const getCurrentUnitHooks = (): UnitHooks | undefined => hooksStorage.getStore();

const UUID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Last action of a unit of work. It may return a statement, which is sent together with the commit. */
export type CommitStatement = () => Promise<Sql | void>;

/**
 * The only access to tenant data. Each unit is one transaction, whose first statement sets the tenant for row-level
 * security. Without a tenant the database shows no rows. Repositories exist only inside a unit.
 */
@Injectable()
export class UnitOfWork {
  private readonly endings = new WeakMap<EntityManager, CommitStatement[]>();
  private readonly changingUnits = new WeakSet<EntityManager>();

  constructor(private readonly dataSource: DataSource) {}

  /** Runs `work` in one transaction that sees and writes only this tenant's rows. Commits when `work` resolves. */
  async run<T>(tenantId: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.runTransaction(`begin; set local app.tenant = '${requireValidTenantId(tenantId)}'`, async (tx) => {
      const hooks = getCurrentUnitHooks();
      await hooks?.afterBegin(tx);
      const result = await runWithinOpenUnit(() => work(tx));
      await hooks?.beforeCommitting(tx, result);
      return result;
    });
  }

  /**
   * Runs read-only `work` in one transaction that sees only this tenant's rows. Does not wait for the end of the
   * transaction.
   */
  async read<T>(tenantId: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.runTransaction(
      `begin read only; set local app.tenant = '${requireValidTenantId(tenantId)}'`,
      (tx) => runWithinOpenUnit(() => work(tx)),
      { reads: true },
    );
  }

  /**
   * Runs one statement in a transaction that sees only this tenant's rows, in one round trip. Returns the rows.
   *
   * @param more.plannedOnce makes PostgreSQL reuse one plan of a `prepared` statement for all parameters. Set it when
   *   planning takes longer than execution. By default, PostgreSQL plans again when the parameters allow a simpler
   *   plan, for example because a condition on the caller always holds.
   */
  async queryOnce<R>(tenantId: string, statement: Sql<R>, { plannedOnce = false } = {}): Promise<R[]> {
    const planning = plannedOnce ? '; set local plan_cache_mode = force_generic_plan' : '';
    const { text, values } = statement.render();
    const runner = this.dataSource.createQueryRunner();
    try {
      const client = (await runner.connect()) as UnitClient;
      const [, found] = await Promise.all([
        client.query(`begin read only; set local app.tenant = '${requireValidTenantId(tenantId)}'${planning}`),
        client.query(text, values),
        client.query('commit'),
      ]);
      return found.rows as R[];
    } finally {
      await runner.release();
    }
  }

  /**
   * Runs `ending` last in the unit of `tx`, before the commit. Use it for locks that many units need: they are held
   * only briefly. They also come after every other lock, so that units cannot deadlock.
   * @param changes whether the unit changes data, as far as the caller knows
   */
  beforeCommit(tx: EntityManager, ending: CommitStatement, { changes = true } = {}): void {
    if (changes) this.changingUnits.add(tx);
    const endings = this.endings.get(tx) ?? [];
    this.endings.set(tx, endings);
    endings.push(ending);
  }

  /** Whether the unit of `tx` changes data. Each change has an audit entry, which is written at the end of the unit. */
  mayWrite(tx: EntityManager): boolean {
    return this.changingUnits.has(tx);
  }

  /** Runs `work` in one transaction without a tenant. Only for directory look-ups and for the creation of a tenant. */
  runWithoutTenant<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.runTransaction('begin', (tx) => runWithinOpenUnit(() => work(tx)));
  }

  async enterTenant(tx: EntityManager, tenantId: string): Promise<void> {
    await tx.query(`set local app.tenant = '${requireValidTenantId(tenantId)}'`);
  }

  /**
   * Like `DataSource.transaction`, but sends `begin` together with the first statements of the work. The database
   * executes statements in order, so none runs outside of the transaction.
   */
  private async runTransaction<T>(
    begin: string,
    work: (tx: EntityManager) => Promise<T>,
    { reads = false } = {},
  ): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    let ending: Promise<unknown> | undefined;
    try {
      const client = (await runner.connect()) as UnitClient;
      client.failure = null;
      const sent = client.beginTransactionWith(begin);
      const begun = runner.startTransaction();
      begun.catch(() => undefined);
      try {
        await Promise.race([sent, begun]);
        const result = await work(runner.manager);
        await begun;
        const last = await this.collectEndStatements(runner.manager);
        // If one of the last statements fails, the database turns the commit after it into a rollback.
        ending = Promise.all([
          ...last.map((statement) => sendStatement(client, statement)),
          runner.commitTransaction(),
        ]);
        if (reads) ending.catch(() => undefined);
        else await ending;
        if (this.mayWrite(runner.manager)) databaseFaults.recordSuccessfulWrite();
        return result;
      } catch (error) {
        // The connection may be lost, and the transaction with it.
        const cause = findFailureCause(error, client.failure);
        await runner.rollbackTransaction().catch(() => undefined);
        throw cause;
      }
    } finally {
      const release = () => runner.release();
      if (reads && ending) void ending.then(release, release);
      else await release();
    }
  }

  /** Runs the endings of a unit. @returns statements to send together with the commit */
  private async collectEndStatements(tx: EntityManager): Promise<Sql[]> {
    const last: Sql[] = [];
    for (const ending of this.endings.get(tx) ?? []) {
      const left = await ending();
      if (left) last.push(left);
    }
    return last;
  }
}

/** PostgreSQL error `in_failed_sql_transaction`: an earlier statement of the transaction failed. */
const FAILED_TRANSACTION_CODE = '25P02';

/**
 * Returns the original error. Statements are sent before earlier ones are answered, so the first awaited answer may
 * belong to a statement that the database skipped after a failure.
 */
function findFailureCause(error: unknown, failure: FailedStatement | null | undefined): unknown {
  const { code, driverError } = (error ?? {}) as { code?: string; driverError?: { code?: string } };
  if ((driverError?.code ?? code) !== FAILED_TRANSACTION_CODE || !(failure?.error instanceof Error)) return error;
  return new QueryFailedError(failure.text, undefined, failure.error);
}

const sendStatement = (client: UnitClient, statement: Sql) => {
  const { text, values } = statement.render();
  return client.query(text, values);
};

type UnitClient = Pick<Client, 'query'> & Pick<BoundedClient, 'beginTransactionWith' | 'failure'>;

/** Returns the tenant ID if it can be inserted safely into a statement. @throws Error when it is not a UUID */
function requireValidTenantId(tenantId: string): string {
  if (!UUID_PATTERN.test(tenantId)) throw new Error('A unit of work needs the UUID of its tenant.');
  return tenantId;
}
