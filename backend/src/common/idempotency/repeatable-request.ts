import type { EntityManager } from 'typeorm';
import { type Principal, seesAllEnvironments } from '../access/principal.js';
import type { UnitHooks } from '../database/unit-hooks.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { EnvironmentSight } from './environment-sight.js';

/** Fields that an answer shows once; a repeated answer leaves them out. */
const SHOWN_ONCE = ['privateKey', 'token', 'secret', 'setPasswordPath'];

/** An answer is repeated for so long. */
const KEPT = `interval '24 hours'`;

/** The first answer to a request, as it is stored. */
export interface StoredAnswer {
  request_hash: Buffer;
  status: number;
  response: object;
  /** The answer tells of an environment, and the caller does not see it any more. */
  hidden: boolean;
}

/** The request was answered before: nothing is done again. */
export class AnsweredBefore extends Error {
  constructor(readonly answer: StoredAnswer) {
    super('This request was answered before.');
  }
}

/** The same request is in the middle of its change: try again in a moment. */
export class AnswerUnderWay extends Error {
  constructor() {
    super('The same request is under way.');
  }
}

/** Where an answer tells of the environment that it hangs on; the answer of an environment is one itself. */
const ENVIRONMENT_OF = `case when k.response ? 'access' then k.response->>'id' else k.response->>'environmentId' end`;

/**
 * One request with an `Idempotency-Key`. Its answer is stored in the transaction of the change itself, so that a change
 * without a stored answer does not exist, whatever dies when. Units of the same key exclude one another by an advisory
 * lock; each looks for a stored answer first.
 */
export class RepeatableRequest implements UnitHooks {
  private readonly lockName: string;

  constructor(
    private readonly units: Pick<UnitOfWork, 'changes'>,
    private readonly caller: Principal,
    private readonly key: string,
    private readonly hash: Buffer,
    /** Status of success. */
    private readonly status: number,
    private readonly sight: EnvironmentSight,
  ) {
    this.lockName = `idempotency ${caller.tenantId} ${caller.userId} ${key}`;
  }

  /** @throws AnsweredBefore, AnswerUnderWay */
  async begun(tx: EntityManager): Promise<void> {
    const [lock] = await tx.query<{ taken: boolean }[]>(
      'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as taken',
      [this.lockName],
    );
    if (!lock?.taken) throw new AnswerUnderWay();
    // A statement of its own: it has to see what was committed before the lock was free.
    const [stored] = await tx.query<(Omit<StoredAnswer, 'hidden'> & { environment_id: string | null })[]>(
      `select k.request_hash, k.status, k.response, ${ENVIRONMENT_OF} as environment_id
        from idempotency_keys k
        where k.tenant_id = $1 and k.user_id = $2 and k.key = $3 and k.created_at > now() - ${KEPT}`,
      [this.caller.tenantId, this.caller.userId, this.key],
    );
    if (!stored) return;
    const { environment_id: environmentId, ...answer } = stored;
    const hidden =
      !seesAllEnvironments(this.caller) &&
      environmentId !== null &&
      !(await this.sight(tx, this.caller, environmentId));
    throw new AnsweredBefore({ ...answer, hidden });
  }

  async committing(tx: EntityManager, result: unknown): Promise<void> {
    if (!this.units.changes(tx) || typeof result !== 'object' || result === null || result instanceof Error) return;
    const { tenantId, userId } = this.caller;
    await tx.query(`delete from idempotency_keys where tenant_id = $1 and created_at <= now() - ${KEPT}`, [tenantId]);
    const kept = Object.fromEntries(Object.entries(result).filter(([name]) => !SHOWN_ONCE.includes(name)));
    await tx.query(
      `insert into idempotency_keys (tenant_id, user_id, key, request_hash, status, response) values ($1, $2, $3, $4, $5, $6)`,
      [tenantId, userId, this.key, this.hash, this.status, kept],
    );
  }
}
