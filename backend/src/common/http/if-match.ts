import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
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
