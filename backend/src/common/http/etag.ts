import {
  createParamDecorator,
  type ExecutionContext,
  type CallHandler,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { invalidRequest, versionMismatchProblem } from '../errors/problem.js';

/** Version in `If-Match`; null = the header is absent or `*`. */
export const IfMatch = createParamDecorator((_: unknown, context: ExecutionContext): number | null => {
  const header = context.switchToHttp().getRequest<Request>().headers['if-match'];
  if (header === undefined || header.trim() === '*') return null;
  if (header.trim() === '') throw emptyIfMatchProblem();
  const version = parseIfMatch(header);
  if (version === null) throw versionMismatchProblem();
  return version;
});

const emptyIfMatchProblem = () =>
  invalidRequest([
    {
      path: 'If-Match',
      code: 'invalid_format',
      message:
        'If-Match must be the ETag that you read, such as "5", or *. Leave the header out to change any version.',
    },
  ]);

export const AcceptsIfMatch = () =>
  ApiHeader({
    name: 'If-Match',
    required: false,
    description: 'ETag of the version that you read. 412 if the record has changed since.',
  });

/** @throws Problem 412 when the record does not have the expected version */
export function requireVersion(record: { version: number }, expected: number | null): void {
  if (expected !== null && record.version !== expected) throw versionMismatchProblem();
}

export function toEtag(version: number): string {
  return `"${version}"`;
}

/**
 * Returns the version in an `If-Match` header; null = unknown tag, which matches no version and leads to 412. Does not
 * handle `*` and an absent header. Accepts weak tags (`W/"5"`): proxies weaken the tag of a response that they
 * compress, but the client has read this version.
 */
export function parseIfMatch(header: string): number | null {
  const [, digits] = /^(?:W\/)?"(0|[1-9]\d{0,15})"$/.exec(header.trim()) ?? [];
  const version = Number(digits ?? Number.NaN);
  return Number.isSafeInteger(version) ? version : null;
}

@Injectable()
export class RecordHeadersInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    return next.handle().pipe(
      map((answer: unknown) => {
        const response = http.getResponse<Response>();
        const record = answer as { id?: unknown; version?: unknown; links?: { self?: unknown } } | null;
        if (response.headersSent) return answer;
        if (record === null || typeof record !== 'object') return answer;
        if (typeof record.version === 'number') response.setHeader('ETag', toEtag(record.version));
        if (response.statusCode === 201 && typeof record.id === 'string' && !response.hasHeader('Location')) {
          // The path of the new record can differ from that of the request, for example after a rerun.
          const self = record.links?.self;
          const location = `${http.getRequest<Request>().path.replace(/\/$/, '')}/${record.id}`;
          response.setHeader('Location', typeof self === 'string' ? self : location);
        }
        return answer;
      }),
    );
  }
}
