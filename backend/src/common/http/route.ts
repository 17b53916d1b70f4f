import { applyDecorators, HttpCode, SetMetadata, type Type } from '@nestjs/common';
import { ApiOperation, ApiResponse, type ApiResponseNoStatusOptions } from '@nestjs/swagger';
import { TakesIdempotencyKey } from '../idempotency/idempotency-key.js';

const PROBLEMS: Record<number, string> = {
  400: 'Malformed: `errors` names each fault.',
  401: 'No, wrong, expired or revoked credentials.',
  403: "The caller's role is too low, or its token too narrow.",
  404: 'There is no such record, or the caller may not see it.',
  409: 'The state of things stands against it; `code` says what.',
  412: 'The record has changed since it was read (`If-Match`).',
  413: 'The body is larger than 1 MiB.',
  415: 'The body is not JSON.',
  422: 'The idempotency key was used with another body.',
  429: 'Too many requests, or too much of the tenant waits to be worked on (`too_many_at_once`); `Retry-After` says when to try again.',
  503: 'The database is away, or there is too much to do (`busy`); `Retry-After` says when to try again.',
};

/** Metadata key of a route that takes any bytes as its body, and looks at them itself. */
export const RAW_BODY = 'runward:raw-body';
/** Metadata key of the largest body of a route, in bytes. */
export const BODY_LIMIT = 'runward:body-limit';
const MEBIBYTE = 1024 * 1024;

export interface RouteOptions {
  /** operationId: the name of the call in generated clients. */
  id: string;
  summary: string;
  description?: string;
  /** Class of the answer; null for none. */
  answer: Type<unknown> | null;
  /** Media type of an answer that is text, and the class that each of its lines or events holds as JSON. */
  items?: { media: string; type: Type<unknown> | readonly Type<unknown>[] };
  /** Status of success; 200 unless given. */
  status?: number;
  /** Problems beyond 401, 403, 429 and 503, which any signed-in call may meet. */
  problems?: number[];
  /** A public route needs no credentials. */
  open?: boolean;
  /** Largest body in MiB; 1 unless given. Measured: reading so much must not hold up the process. */
  bodyMiB?: number;
  /** Takes a body of any form: whoever sends it does not know this API. The handler reads it by `capturedBodyOf`. */
  rawBody?: boolean;
  /** Heeds `Idempotency-Key`; so does each route that answers 201. */
  idempotent?: boolean;
}

/** Describes a route once, for Nest and for the OpenAPI document. */
export function Route(options: RouteOptions): MethodDecorator {
  const status = options.status ?? (options.answer || options.items ? 200 : 204);
  const problems = [...(options.problems ?? []), ...(options.open ? [] : [401, 403]), 429, 503];
  return applyDecorators(
    HttpCode(status),
    ApiOperation({
      operationId: options.id,
      summary: options.summary,
      description: options.description ?? `${options.summary}.`,
      ...(options.open ? { security: [] } : {}),
    }),
    ...(options.bodyMiB ? [SetMetadata(BODY_LIMIT, options.bodyMiB * MEBIBYTE)] : []),
    ...(options.rawBody ? [SetMetadata(RAW_BODY, true)] : []),
    ...((options.idempotent ?? status === 201) ? [TakesIdempotencyKey()] : []),
    ApiResponse({
      status,
      description: options.answer || options.items ? 'Done.' : 'Done; nothing to tell.',
      ...(options.answer ? { type: options.answer } : {}),
      ...(options.items ? { content: itemsOf(options.items) } : {}),
    }),
    ...[...new Set(problems)].sort().map((code) =>
      ApiResponse({
        status: code,
        description:
          code === 413 && options.bodyMiB
            ? `The body is larger than ${options.bodyMiB} MiB.`
            : (PROBLEMS[code] ?? 'Refused.'),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemView' } } },
      }),
    ),
  );
}

/** As an array, which is how OpenAPI (3.2, Sequential Media Types) looks at texts that are a sequence of items. */
function itemsOf({ media, type }: NonNullable<RouteOptions['items']>): ApiResponseNoStatusOptions['content'] {
  const refs = [type].flat().map(({ name }) => ({ $ref: `#/components/schemas/${name}` }));
  const [only] = refs;
  return { [media]: { schema: { type: 'array', items: refs.length === 1 && only ? only : { anyOf: refs } } } };
}
