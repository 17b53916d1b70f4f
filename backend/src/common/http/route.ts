import { applyDecorators, HttpCode, SetMetadata, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOperation, ApiResponse, type ApiResponseNoStatusOptions } from '@nestjs/swagger';

const PROBLEM_DESCRIPTIONS: Record<number, string> = {
  400: 'The request is malformed; `errors` lists each fault.',
  401: 'Credentials are missing, wrong, expired or revoked.',
  403: 'Your role is too low, or the scope of your token too narrow.',
  404: 'The record does not exist, or you cannot see it.',
  409: 'The current state conflicts with the request; `code` gives the reason.',
  412: 'The record has changed since it was read (`If-Match`).',
  413: 'The body is larger than 1 MiB.',
  415: 'The body is not JSON.',
  422: 'The idempotency key was used for a different request.',
  429: 'Too many requests, or too many of the tenant are waiting (`too_many_at_once`). Retry after the seconds in `Retry-After`.',
  503: 'The database is not available, or the server is overloaded (`busy`). Retry after the seconds in `Retry-After`.',
};

/** Metadata key of a route that accepts any bytes as its body and parses them itself. */
export const RAW_BODY_METADATA_KEY = 'runward:raw-body';
export const BODY_LIMIT_METADATA_KEY = 'runward:body-limit';
export const IDEMPOTENCY_METADATA_KEY = 'runward:takes-idempotency-key';
const MEBIBYTE = 1024 * 1024;

/** Text or file that a route sends instead of JSON, or besides it if the client accepts its media type. */
export interface SentFile {
  media: string;
  /** Upper bound of the size and how it grows, such as `at most 1 KiB`. */
  size: string;
  /** Whether `Content-Disposition` names the file. */
  named?: boolean;
  /** Class of the JSON in each line or event. */
  items?: Type<unknown> | readonly Type<unknown>[];
  /** Schema of a file without `items`. Default: text. */
  schema?: object;
}

export interface RouteOptions {
  id: string;
  summary: string;
  description?: string;
  /** Class of the JSON answer; null = no JSON. */
  answer: Type<unknown> | null;
  /** Other forms of the answer. */
  files?: readonly SentFile[];
  /** Status on success. Default: 200, or 204 without an answer. */
  status?: number;
  /** Problem statuses besides 401, 403, 429 and 503, which every authenticated operation can answer. */
  problems?: number[];
  open?: boolean;
  /** Maximum body size in MiB; default 1. Measure before you raise it: parsing must not block the process. */
  bodyMiB?: number;
  /**
   * Accepts a body in any format, for senders that do not know this API. The handler reads it with `getCapturedBody`.
   */
  rawBody?: boolean;
  /** Supports `Idempotency-Key`. Routes that answer 201 always do. */
  idempotent?: boolean;
}

export function Route(options: RouteOptions): MethodDecorator {
  const { answer, files = [] } = options;
  const status = options.status ?? (answer || files.length > 0 ? 200 : 204);
  const problems = [...(options.problems ?? []), ...(options.open ? [] : [401, 403]), 429, 503];
  return applyDecorators(
    HttpCode(status),
    ApiOperation({
      operationId: options.id,
      summary: options.summary,
      description: options.description ?? `${options.summary}.`,
      ...(options.open ? { security: [] } : {}),
    }),
    ...(options.bodyMiB ? [SetMetadata(BODY_LIMIT_METADATA_KEY, options.bodyMiB * MEBIBYTE)] : []),
    ...(options.rawBody ? [SetMetadata(RAW_BODY_METADATA_KEY, true)] : []),
    ...((options.idempotent ?? status === 201) ? [AcceptsIdempotencyKey()] : []),
    ...(answer ? [ApiExtraModels(answer)] : []),
    ApiResponse({
      status,
      description: describeAnswer(options),
      ...(answer && files.length === 0 ? { type: answer } : {}),
      ...(files.length > 0 ? { content: describeContent(options) } : {}),
      ...(files.some(({ named }) => named) ? { headers: { 'Content-Disposition': {} } } : {}),
    }),
    ...[...new Set(problems)].sort().map((code) =>
      ApiResponse({
        status: code,
        description:
          code === 413 && options.bodyMiB
            ? `The body is larger than ${options.bodyMiB} MiB.`
            : (PROBLEM_DESCRIPTIONS[code] ?? 'The request was refused.'),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemView' } } },
      }),
    ),
  );
}

function describeAnswer({ answer, files = [] }: RouteOptions): string {
  if (!answer && files.length === 0) return 'Done. No content.';
  return ['Done.', ...files.map(({ media, size }) => `\`${media}\`: ${size}.`)].join(' ');
}

function describeContent({ answer, files = [] }: RouteOptions): ApiResponseNoStatusOptions['content'] {
  return Object.fromEntries([
    ...(answer ? [['application/json', { schema: refTo(answer) }] as const] : []),
    ...files.map((file) => [file.media, { schema: describeFile(file) }] as const),
  ]);
}

/** A sequence of items is described as an array (OpenAPI 3.2, Sequential Media Types). */
function describeFile({ items, schema = { type: 'string' } }: SentFile): object {
  if (items === undefined) return schema;
  const refs = [items].flat().map(refTo);
  const [only] = refs;
  return { type: 'array', items: refs.length === 1 && only ? only : { anyOf: refs } };
}

const refTo = ({ name }: Type<unknown>) => ({ $ref: `#/components/schemas/${name}` });

/** Marks a route that sends the first response again for a repeated `Idempotency-Key`, without repeating the action. */
const AcceptsIdempotencyKey = (): MethodDecorator =>
  applyDecorators(
    SetMetadata(IDEMPOTENCY_METADATA_KEY, true),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'The same key and body within 24 hours answers the first answer again and does nothing more (`Idempotency-Replayed: true`).',
    }),
  );
