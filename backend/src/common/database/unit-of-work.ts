import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import type { FailedStatement } from './bounded-client.js';
import { databaseFaults } from './database-faults.js';
import { withinOpenUnit } from './open-unit.js';
import { currentUnitHooks } from './unit-hooks.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A statement with its parameters. */
export interface Statement {
  sql: string;
  values: unknown[];
}

/** What a unit of work does last; it may leave a statement to the trip that commits. */
export type Ending = () => Promise<Statement | void>;

/**
 * The only door to tenant data. Each unit is one transaction whose first statement names the tenant to row-level
 * security. Outside of a unit no repository exists; with no tenant named the database shows no row.
 */
@Injectable()
export class UnitOfWork {
  private readonly endings = new WeakMap<EntityManager, Ending[]>();
  private readonly changing = new WeakSet<EntityManager>();

  constructor(private readonly dataSource: DataSource) {}

  /** Runs `work` in one transaction that sees and writes this tenant's rows only; commits when it resolves. */
  async run<T>(tenantId: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.transaction(`begin; set local app.tenant = '${named(tenantId)}'`, async (tx) => {
      const hooks = currentUnitHooks();
      await hooks?.begun(tx);
      const result = await withinOpenUnit(() => work(tx));
      await hooks?.committing(tx, result);
      return result;
    });
  }

  /**
   * Runs `work`, which only reads, in one transaction that sees this tenant's rows only. The answer does not wait for
   * the transaction's end.
   */
  async read<T>(tenantId: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.transaction(
      `begin read only; set local app.tenant = '${named(tenantId)}'`,
      (tx) => withinOpenUnit(() => work(tx)),
      { reads: true },
    );
  }

  /**
   * Rows that one statement reads, in a transaction that sees this tenant's rows only: one trip for all of it.
   *
   * @param more.plannedOnce has PostgreSQL keep the plan of a `prepared` statement whatever the parameters are. By itself it
   *   plans anew each time where a condition on the caller can be left out for some: that takes longer than to run it.
   */
  async ask<R>(tenantId: string, { sql, values }: Statement, { plannedOnce = false } = {}): Promise<R[]> {
    const planning = plannedOnce ? '; set local plan_cache_mode = force_generic_plan' : '';
    const runner = this.dataSource.createQueryRunner();
    try {
      const client = (await runner.connect()) as Asked;
      const [, found] = await Promise.all([
        client.query(`begin read only; set local app.tenant = '${named(tenantId)}'${planning}`),
        client.query(sql, values),
        client.query('commit'),
      ]);
      return found.rows as R[];
    } finally {
      await runner.release();
    }
  }

  /**
   * Runs `ending` as the last thing of the unit that `tx` belongs to, before it commits. What takes a lock that many
   * units want does so here: it is held for a moment only, and after every other lock, so that no two units wait for
   * each other.
   * @param changes whether the unit changes something, as far as the caller knows
   */
  beforeCommit(tx: EntityManager, ending: Ending, { changes = true } = {}): void {
    if (changes) this.changing.add(tx);
    const endings = this.endings.get(tx) ?? [];
    this.endings.set(tx, endings);
    endings.push(ending);
  }

  /** Whether the unit that `tx` belongs to changes something: each change has an audit entry, written as it ends. */
  changes(tx: EntityManager): boolean {
    return this.changing.has(tx);
  }

  /** Runs `work` in one transaction that sees no tenant's rows: directory look-ups, and the creation of a tenant. */
  runWithoutTenant<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.transaction('begin', (tx) => withinOpenUnit(() => work(tx)));
  }

  /** Names the tenant whose rows a unit without one sees and writes from here on. */
  async enter(tx: EntityManager, tenantId: string): Promise<void> {
    await tx.query(`set local app.tenant = '${named(tenantId)}'`);
  }

  /**
   * As `DataSource.transaction`, but the first statements of the work leave together with what begins it. They can't be
   * without it: the database takes one after the other.
   */
  private async transaction<T>(
    begin: string,
    work: (tx: EntityManager) => Promise<T>,
    { reads = false } = {},
  ): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    let ending: Promise<unknown> | undefined;
    try {
      const client = (await runner.connect()) as Asked;
      client.failure = null;
      const begun = client.query(begin);
      begun.catch(() => undefined);
      const open = runner as unknown as OpenRunner;
      open.isTransactionActive = true;
      open.transactionDepth = 1;
      try {
        const result = await work(runner.manager);
        await begun;
        const last = await this.end(runner.manager);
        // Where one of the last statements fails, the database makes a rollback of the commit that stands behind it.
        ending = Promise.all([...last.map(({ sql, values }) => client.query(sql, values)), runner.commitTransaction()]);
        if (reads) ending.catch(() => undefined);
        else await ending;
        if (this.changes(runner.manager)) databaseFaults.noteWrite();
        return result;
      } catch (error) {
        // The connection may be gone, and the unit with it.
        const cause = causeOf(error, client.failure);
        await runner.rollbackTransaction().catch(() => undefined);
        throw cause;
      }
    } finally {
      const release = () => runner.release();
      if (reads && ending) void ending.then(release, release);
      else await release();
    }
  }

  /** Runs the endings of a unit. @returns what they leave to the trip that commits */
  private async end(tx: EntityManager): Promise<Statement[]> {
    const last: Statement[] = [];
    for (const ending of this.endings.get(tx) ?? []) {
      const left = await ending();
      if (left) last.push(left);
    }
    return last;
  }
}

/** PostgreSQL's `in_failed_sql_transaction`: a statement of the same transaction failed before. */
const FAILED_BEFORE = '25P02';

/**
 * Statements leave before those in front of them are answered, so that the first answer that somebody waits for may be
 * about one which was not even looked at.
 */
function causeOf(error: unknown, failure: FailedStatement | null | undefined): unknown {
  const { code, driverError } = (error ?? {}) as { code?: string; driverError?: { code?: string } };
  if ((driverError?.code ?? code) !== FAILED_BEFORE || !(failure?.error instanceof Error)) return error;
  return new QueryFailedError(failure.text, undefined, failure.error);
}

interface Asked {
  failure?: FailedStatement | null;
  query(sql: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** What TypeORM's own beginning of a transaction sets. */
interface OpenRunner {
  isTransactionActive: boolean;
  transactionDepth: number;
}

/** A tenant's id as it may stand in a statement. @throws Error when it is none */
function named(tenantId: string): string {
  if (!UUID.test(tenantId)) throw new Error('A unit of work names its tenant by a UUID.');
  return tenantId;
}
