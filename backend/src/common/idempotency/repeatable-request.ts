import type { EntityManager } from 'typeorm';
import { type Principal, canSeeAllEnvironments } from '../access/principal.js';
import { affected, row, sql } from '../database/sql.js';
import type { UnitHooks, UnitOfWork } from '../database/unit-of-work.js';
import type { CanSeeEnvironment } from './environment-visibility.js';

/** Fields that are shown once: stored and repeated responses lack them. `command` of an enrolment contains its token. */
const SECRET_FIELDS = ['privateKey', 'token', 'command', 'secret', 'setPasswordPath'];

const ANSWER_RETENTION_SQL = sql`interval '24 hours'`;

export interface StoredAnswer {
  request_hash: Buffer;
  status: number;
  response: object;
  /** The response belongs to an environment that the caller can no longer see. */
  hidden: boolean;
}

export class AlreadyAnsweredError extends Error {
  constructor(readonly answer: StoredAnswer) {
    super('This request was answered before.');
  }
}

export class RequestInProgressError extends Error {
  constructor() {
    super('The same request is still running.');
  }
}

/** SQL expression: environment ID in a response. Only a response about an environment itself has the field `access`. */
const ANSWER_ENVIRONMENT_ID_SQL = sql`case when k.response ? 'access' then k.response->>'id' else k.response->>'environmentId' end`;

/**
 * One request with an `Idempotency-Key`. Stores the response in the transaction of the change, so a crash never leaves
 * a change without a stored response. An advisory lock serialises units with the same key. Each unit first searches for
 * a stored response.
 */
export class RepeatableRequest implements UnitHooks {
  private readonly lockName: string;

  constructor(
    private readonly units: Pick<UnitOfWork, 'mayWrite'>,
    private readonly caller: Principal,
    private readonly key: string,
    private readonly hash: Buffer,
    private readonly status: number,
    private readonly environmentVisibility: CanSeeEnvironment,
  ) {
    this.lockName = `idempotency ${caller.tenantId} ${caller.userId} ${key}`;
  }

  async afterBegin(tx: EntityManager): Promise<void> {
    const lock = await row(
      tx,
      sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(hashtextextended(${this.lockName}, 0)) as taken`,
    );
    if (!lock?.taken) throw new RequestInProgressError();
    const { tenantId, userId } = this.caller;
    // Must be a separate statement, to see what was committed before the lock was acquired.
    const stored = await row(
      tx,
      sql<Omit<StoredAnswer, 'hidden'> & { environment_id: string | null }>`
        select k.request_hash, k.status, k.response, ${ANSWER_ENVIRONMENT_ID_SQL} as environment_id
        from idempotency_keys k
        where k.tenant_id = ${tenantId} and k.user_id = ${userId} and k.key = ${this.key}
          and k.created_at > now() - ${ANSWER_RETENTION_SQL}`,
    );
    if (!stored) return;
    const { environment_id: environmentId, ...answer } = stored;
    const hidden =
      !canSeeAllEnvironments(this.caller) &&
      environmentId !== null &&
      !(await this.environmentVisibility(tx, this.caller, environmentId));
    throw new AlreadyAnsweredError({ ...answer, hidden });
  }

  async beforeCommitting(tx: EntityManager, result: unknown): Promise<void> {
    if (!this.units.mayWrite(tx) || typeof result !== 'object' || result === null || result instanceof Error) return;
    const { tenantId, userId } = this.caller;
    await affected(
      tx,
      sql`delete from idempotency_keys where tenant_id = ${tenantId} and created_at <= now() - ${ANSWER_RETENTION_SQL}`,
    );
    const storedResult = Object.fromEntries(Object.entries(result).filter(([name]) => !SECRET_FIELDS.includes(name)));
    await affected(
      tx,
      sql`insert into idempotency_keys (tenant_id, user_id, key, request_hash, status, response)
        values (${tenantId}, ${userId}, ${this.key}, ${this.hash}, ${this.status}, ${storedResult})`,
    );
  }
}
