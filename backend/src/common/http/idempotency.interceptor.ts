import { createHmac } from 'node:crypto';
import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import { HTTP_CODE_METADATA } from '@nestjs/common/constants.js';
import type { Request, Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { Principal, RunwardRequest } from '../access/principal.js';
import { environmentIsVisible } from '../access/visible-environment.js';
import { databaseProblem } from '../database/database-problem.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { conflict, invalidRequest, notFound, Problem } from '../errors/problem.js';
import { RUNTIME, type Runtime } from '../runtime.js';
import { capturedBodyOf } from './captured-body.js';

const KEY = /^[\x21-\x7e]{1,200}$/;
/** Fields that an answer shows once; a repeated answer leaves them out (spec, rule 4). */
const SHOWN_ONCE = ['privateKey', 'token', 'setPasswordPath'];

interface StoredAnswer {
  request_hash: Buffer;
  status: number | null;
  response: object | null;
  /** The answer tells of an environment, and the caller does not see it any more. */
  hidden: boolean;
}

/** Where an answer tells of the environment that it hangs on; the answer of an environment is one itself. */
const ENVIRONMENT_OF = `case when k.response ? 'access' then k.response->>'id' else k.response->>'environmentId' end`;

/**
 * `Idempotency-Key` on every POST that creates (design: api.md): the key is claimed before the handler runs, so the
 * same request never acts twice, also when it comes again while the first is under way or after a crash.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly units: UnitOfWork,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request & RunwardRequest>();
    const creates = Reflect.getMetadata(HTTP_CODE_METADATA, context.getHandler()) === 201;
    const key = request.headers['idempotency-key'];
    if (!creates || key === undefined || !request.principal) return next.handle();
    if (typeof key !== 'string' || !KEY.test(key)) {
      throw invalidRequest([
        {
          path: 'Idempotency-Key',
          code: 'invalid_format',
          message: 'Idempotency-Key must be 1 to 200 visible ASCII characters.',
        },
      ]);
    }
    return from(this.once(request.principal, key, request, context.switchToHttp().getResponse<Response>(), next));
  }

  private async once(
    caller: Principal,
    key: string,
    request: Request,
    response: Response,
    next: CallHandler,
  ): Promise<unknown> {
    const body = capturedBodyOf(request);
    // Keyed: a body may hold a short secret, which nobody shall guess from a copy of the database.
    const hash = createHmac('sha256', this.runtime.masterKey.key)
      .update(`${request.method} ${request.path}\n`)
      .update(body.kind === 'bytes' ? body.bytes : '')
      .digest();
    const earlier = await this.claim(caller, key, hash);
    if (earlier) return replay(earlier, hash, response);
    try {
      const answer: unknown = await lastValueFrom(next.handle());
      await this.keep(caller, key, response, answer as object);
      return answer;
    } catch (error) {
      // A refusal changed nothing, so the key may be used again. Any other failure may have acted: the claim stays.
      const refusal = error instanceof Problem ? error : databaseProblem(error);
      if (refusal && refusal.status < 500) await this.release(caller, key);
      throw error;
    }
  }

  /** Takes the key; returns what is stored under it when somebody took it before. */
  private claim(caller: Principal, key: string, hash: Buffer): Promise<StoredAnswer | null> {
    return this.units.run(caller.tenantId, async (tx) => {
      await tx.query(`delete from idempotency_keys where tenant_id = $1 and created_at < now() - interval '24 hours'`, [
        caller.tenantId,
      ]);
      const taken = await tx.query<unknown[]>(
        `insert into idempotency_keys (tenant_id, user_id, key, request_hash) values ($1, $2, $3, $4)
          on conflict do nothing returning key`,
        [caller.tenantId, caller.userId, key, hash],
      );
      if (taken.length > 0) return null;
      const [row] = await tx.query<StoredAnswer[]>(
        `select k.request_hash, k.status, k.response, $4 <> 'admin' and ${ENVIRONMENT_OF} is not null and not exists (
            select 1 from environments e where e.id::text = ${ENVIRONMENT_OF} and ${environmentIsVisible('e', { role: '$4', user: '$2' })}) as hidden
          from idempotency_keys k where k.tenant_id = $1 and k.user_id = $2 and k.key = $3`,
        [caller.tenantId, caller.userId, key, caller.role],
      );
      return row ?? null;
    });
  }

  private async keep(caller: Principal, key: string, response: Response, answer: object): Promise<void> {
    const kept = Object.fromEntries(Object.entries(answer).filter(([name]) => !SHOWN_ONCE.includes(name)));
    await this.units.run(caller.tenantId, (tx) =>
      tx.query(
        'update idempotency_keys set status = $4, response = $5 where tenant_id = $1 and user_id = $2 and key = $3',
        [caller.tenantId, caller.userId, key, response.statusCode, kept],
      ),
    );
  }

  private async release(caller: Principal, key: string): Promise<void> {
    await this.units.run(caller.tenantId, (tx) =>
      tx.query('delete from idempotency_keys where tenant_id = $1 and user_id = $2 and key = $3', [
        caller.tenantId,
        caller.userId,
        key,
      ]),
    );
  }
}

function replay(earlier: StoredAnswer, hash: Buffer, response: Response): object {
  if (!earlier.request_hash.equals(hash)) {
    throw new Problem(
      'idempotency_key_reused',
      'This Idempotency-Key was sent with another request. Use a new key for a new request.',
    );
  }
  if (earlier.status === null || earlier.response === null) {
    throw conflict(
      'idempotency_in_progress',
      'The first request with this Idempotency-Key has no known outcome (yet). Look whether the record exists before you use a new key.',
    );
  }
  // A grant may have ended since: what the caller no longer sees is not shown again either.
  if (earlier.hidden) throw notFound();
  response.status(earlier.status).setHeader('Idempotency-Replayed', 'true');
  return earlier.response;
}
