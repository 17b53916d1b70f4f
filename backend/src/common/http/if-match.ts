import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { invalidRequest, versionMismatchProblem } from '../errors/problem.js';
import { parseIfMatch } from './etag.js';

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
