import type { OpenAPIObject } from '@nestjs/swagger';
import { type Answer, operationsOf, resolve } from './openapi-schemas.js';

const text = (description: string, example: string) => ({ description, schema: { type: 'string' as const }, example });

const HEADERS = {
  'X-Request-Id': text('ID of this request in logs and audit entries; your own ID if you sent one.', 'ci-1'),
  'Runward-Version': text('Version of Runward that answered.', '0.1.0'),
  RateLimit: text('Requests left in this window, and seconds until it ends.', '"default";r=593;t=42'),
  'RateLimit-Policy': text('Requests allowed per window, and length of the window in seconds.', '"default";q=600;w=60'),
  'Content-Disposition': text(
    '`attachment` with the name of the file. JSON pages do not have it.',
    'attachment; filename="audit.ndjson"',
  ),
  Deprecation: text('Time since which the route, or a field of the request, is deprecated (RFC 9745).', '@1803859200'),
  Sunset: text('Time from which it can be removed (RFC 8594).', 'Wed, 01 Sep 2027 00:00:00 GMT'),
  Link: text('Documentation of the deprecation.', '</api/docs>; rel="deprecation"; type="text/html"'),
  ETag: text('Version of the record, for `If-Match`.', '"3"'),
  Location: text('URL of the new record.', '/api/plans/01927c5e-7d3a-7cc1-a2b4-8f1d3c5b6a79'),
  'Idempotency-Replayed': text('`true`: the response of an earlier request with the same key.', 'true'),
  'Retry-After': {
    description: 'Number of seconds to wait before the next attempt.',
    schema: { type: 'integer' as const, minimum: 1 },
    example: 5,
  },
  'WWW-Authenticate': text('How to send credentials (RFC 6750).', 'Bearer realm="runward"'),
};
type HeaderName = keyof typeof HEADERS;

const RATE_LIMIT_HEADERS: HeaderName[] = ['RateLimit', 'RateLimit-Policy'];
const HEADERS_BY_STATUS: Record<string, HeaderName[]> = {
  '201': ['Location'],
  '401': ['WWW-Authenticate'],
  '429': ['Retry-After'],
  '503': ['Retry-After'],
};

/** Headers that only some routes send. A step before has named them in the response. */
const ROUTE_HEADERS: HeaderName[] = ['Content-Disposition', 'Deprecation', 'Sunset', 'Link'];

export function describeHeaders(document: OpenAPIObject): void {
  const used = new Set<HeaderName>();
  for (const { responses, parameters = [] } of operationsOf(document)) {
    const repeatable = parameters.some((parameter) => 'name' in parameter && parameter.name === 'Idempotency-Key');
    for (const [status, response] of Object.entries(responses)) {
      const names: HeaderName[] = ['X-Request-Id', 'Runward-Version', ...(HEADERS_BY_STATUS[status] ?? [])];
      if (status.startsWith('2') || status === '429') names.push(...RATE_LIMIT_HEADERS);
      if (status.startsWith('2') && repeatable) names.push('Idempotency-Replayed');
      if (status.startsWith('2') && hasVersion(document, response)) names.push('ETag');
      names.push(...ROUTE_HEADERS.filter((name) => response.headers?.[name]));
      response.headers = Object.fromEntries(
        names.sort().map((name) => [name, { $ref: `#/components/headers/${name}` }]),
      );
      for (const name of names) used.add(name);
    }
  }
  const headers = Object.fromEntries(Object.entries(HEADERS).filter(([name]) => used.has(name as HeaderName)));
  document.components = { ...document.components, headers };
}

function hasVersion(document: OpenAPIObject, { content }: Answer): boolean {
  const schema = content?.['application/json']?.schema;
  return schema !== undefined && resolve(document, schema).properties?.version !== undefined;
}
