import { createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import { HTTP_CODE_METADATA } from '@nestjs/common/constants.js';
import canonicalize from 'canonicalize';
import type { Request, Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { Principal, RunwardRequest } from '../access/principal.js';
import { runWithUnitHooks, UnitOfWork } from '../database/unit-of-work.js';
import { conflict, invalidRequest, notFound, Problem } from '../errors/problem.js';
import { RUNTIME, type Runtime } from '../settings/runtime.js';
import { ENVIRONMENT_VISIBILITY, type CanSeeEnvironment } from './environment-visibility.js';
import { IDEMPOTENCY_METADATA_KEY } from '../http/route.js';
import {
  AlreadyAnsweredError,
  RequestInProgressError,
  RepeatableRequest,
  type StoredAnswer,
} from './repeatable-request.js';

const IDEMPOTENCY_KEY_PATTERN = /^[\x21-\x7e]{1,200}$/;
/** Maximum wait for a running request with the same key, and poll interval, in ms. */
const WAIT_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 50;

/**
 * Handles `Idempotency-Key` on every POST that creates or controls records. A repeated request never acts twice, even
 * while the first one is running or after a crash.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly units: UnitOfWork,
    @Inject(RUNTIME) private readonly runtime: Runtime,
    @Inject(ENVIRONMENT_VISIBILITY) private readonly environmentVisibility: CanSeeEnvironment,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request & RunwardRequest>();
    const { principal } = request;
    const key = request.headers['idempotency-key'];
    const isSupported = Reflect.getMetadata(IDEMPOTENCY_METADATA_KEY, context.getHandler()) === true;
    if (!isSupported || key === undefined || !principal) return next.handle();
    if (typeof key !== 'string' || !IDEMPOTENCY_KEY_PATTERN.test(key)) {
      throw invalidRequest([
        {
          path: 'Idempotency-Key',
          code: 'invalid_format',
          message: 'Idempotency-Key must be 1 to 200 visible ASCII characters.',
        },
      ]);
    }
    const status = Reflect.getMetadata(HTTP_CODE_METADATA, context.getHandler()) as number;
    const hash = this.hashRequest(request, principal);
    const repeatableRequest = new RepeatableRequest(
      this.units,
      principal,
      key,
      hash,
      status,
      this.environmentVisibility,
    );
    return from(this.runOnce(repeatableRequest, hash, context.switchToHttp().getResponse<Response>(), next));
  }

  private async runOnce(
    repeatableRequest: RepeatableRequest,
    hash: Buffer,
    response: Response,
    next: CallHandler,
  ): Promise<unknown> {
    const deadline = performance.now() + WAIT_TIMEOUT_MS;
    for (;;) {
      try {
        return await runWithUnitHooks(repeatableRequest, () => lastValueFrom(next.handle()));
      } catch (error) {
        if (error instanceof AlreadyAnsweredError) return repeatAnswer(error.answer, hash, response);
        if (!(error instanceof RequestInProgressError)) throw error;
        if (performance.now() > deadline) throw inProgressProblem();
      }
      // Waits without a database connection.
      await wait(POLL_INTERVAL_MS);
    }
  }

  /**
   * Hashes the content of a request. Ignores the order of fields and white space. Includes the token's limits, because
   * a token with other limits may not be allowed to see the first response.
   */
  private hashRequest(request: Request, { limits }: Principal): Buffer {
    // Keyed, because the body may contain a short secret, which a copy of the database must not reveal to guessing.
    return createHmac('sha256', this.runtime.masterKey.secret)
      .update(
        `${request.method} ${request.path}\n${canonicalize(request.body ?? {}) ?? ''}${limits ? `\n${canonicalize(limits)}` : ''}`,
      )
      .digest();
  }
}

function repeatAnswer(answer: StoredAnswer, hash: Buffer, response: Response): object {
  if (!answer.request_hash.equals(hash)) {
    throw new Problem(
      'idempotency_key_reused',
      'This Idempotency-Key was sent with another request. Use a new key for a new request.',
    );
  }
  // The grant may have ended: does not repeat a response about an environment that is no longer visible.
  if (answer.hidden) throw notFound();
  response.status(answer.status).setHeader('Idempotency-Replayed', 'true');
  return answer.response;
}

const inProgressProblem = (): Problem =>
  conflict(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key is still running. Repeat the request in a moment.',
    { headers: { 'Retry-After': '1' } },
  );
