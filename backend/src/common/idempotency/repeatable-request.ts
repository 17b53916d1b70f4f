import type { EntityManager } from 'typeorm';
import { type Principal, seesAllEnvironments } from '../access/principal.js';
import type { UnitHooks } from '../database/unit-hooks.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { EnvironmentVisibility } from './environment-visibility.js';

const SECRET_FIELDS = ['privateKey', 'token', 'secret', 'setPasswordPath'];

const ANSWER_RETENTION_SQL = `interval '24 hours'`;

export interface StoredAnswer {
  request_hash: Buffer;
  status: number;
  response: object;
  /** The response belongs to an environment that the caller can no longer see. */
  hidden: boolean;
}

export class AlreadyAnswered extends Error {
  constructor(readonly answer: StoredAnswer) {
    super('This request was answered before.');
  }
}

export class RequestInProgress extends Error {
  constructor() {
    super('The same request is still running.');
  }
}

/** SQL expression: environment ID in a response. Only a response about an environment itself has the field `access`. */
const ENVIRONMENT_OF = `case when k.response ? 'access' then k.response->>'id' else k.response->>'environmentId' end`;

/**
 * One request with an `Idempotency-Key`. Stores the response in the transaction of the change, so a crash never leaves
 * a change without a stored response. An advisory lock serialises units with the same key. Each unit first searches for
 * a stored response.
 */
export class RepeatableRequest implements UnitHooks {
  private readonly lockName: string;

  constructor(
    private readonly units: Pick<UnitOfWork, 'changes'>,
    private readonly caller: Principal,
    private readonly key: string,
    private readonly hash: Buffer,
    private readonly status: number,
    private readonly environmentVisibility: EnvironmentVisibility,
  ) {
    this.lockName = `idempotency ${caller.tenantId} ${caller.userId} ${key}`;
  }

  async begun(tx: EntityManager): Promise<void> {
    const [lock] = await tx.query<{ taken: boolean }[]>(
      'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as taken',
      [this.lockName],
    );
    if (!lock?.taken) throw new RequestInProgress();
    // Must be a separate statement, to see what was committed before the lock was acquired.
    const [stored] = await tx.query<(Omit<StoredAnswer, 'hidden'> & { environment_id: string | null })[]>(
      `select k.request_hash, k.status, k.response, ${ENVIRONMENT_OF} as environment_id
        from idempotency_keys k
        where k.tenant_id = $1 and k.user_id = $2 and k.key = $3 and k.created_at > now() - ${ANSWER_RETENTION_SQL}`,
      [this.caller.tenantId, this.caller.userId, this.key],
    );
    if (!stored) return;
    const { environment_id: environmentId, ...answer } = stored;
    const hidden =
      !seesAllEnvironments(this.caller) &&
      environmentId !== null &&
      !(await this.environmentVisibility(tx, this.caller, environmentId));
    throw new AlreadyAnswered({ ...answer, hidden });
  }

  async committing(tx: EntityManager, result: unknown): Promise<void> {
    if (!this.units.changes(tx) || typeof result !== 'object' || result === null || result instanceof Error) return;
    const { tenantId, userId } = this.caller;
    await tx.query(
      `delete from idempotency_keys where tenant_id = $1 and created_at <= now() - ${ANSWER_RETENTION_SQL}`,
      [tenantId],
    );
    const storedResult = Object.fromEntries(Object.entries(result).filter(([name]) => !SECRET_FIELDS.includes(name)));
    await tx.query(
      `insert into idempotency_keys (tenant_id, user_id, key, request_hash, status, response) values ($1, $2, $3, $4, $5, $6)`,
      [tenantId, userId, this.key, this.hash, this.status, storedResult],
    );
  }
}
