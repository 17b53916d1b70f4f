import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type MeasuredApi, startMeasuredApi } from './support/hostile/measured-api.js';
import { fillPath } from './support/one-of-each.js';
import { operations } from './support/openapi.js';

let api: MeasuredApi;

beforeAll(async () => {
  api = await startMeasuredApi();
}, 60_000);
afterAll(() => api?.close());

/** Maximum size of one part of the request head, in bytes. */
const HEAD_BYTES = 15_000;
const many = (unit: (index: number) => string) =>
  Array.from({ length: HEAD_BYTES }, (_, index) => unit(index))
    .join('')
    .slice(0, HEAD_BYTES);

const QUERIES: [string, string][] = [
  ['names', many((index) => `n${index}&`)],
  ['values of one name', many(() => 'q=a&')],
  ['values of a list', many(() => 'status=a&')],
  ['empty names', many(() => '&=')],
  ['escapes', `q=${many(() => '%41').slice(0, -3)}`],
  ['conditions', `selector=${many(() => 'a,')}`],
  ['brackets', `selector=${many(() => '(')}`],
];

const HEADERS: Record<string, string[]> = {
  authorization: [`Bearer ${many(() => ' ')}x`, many(() => 'Bearer '), `Bearer runward_${many(() => '_')}`],
  cookie: [many(() => 'a=b; '), many(() => ';'), `runward_session=${many(() => 'a')}`, many(() => '"')],
  'idempotency-key': [many(() => 'a')],
  'if-match': [many(() => '"1",'), many(() => 'W/'), many(() => '"')],
  'x-request-id': [many(() => 'a-')],
  'content-type': [many(() => ';'), `application/json${many(() => ' ')}x`],
};

describe('the head of a request', () => {
  it('does not delay other requests with its query, on any route', async () => {
    // Excludes the stream, because it does not end.
    const reads = operations.filter(({ method, operationId }) => method === 'GET' && operationId !== 'streamExecution');
    expect(reads.length).toBeGreaterThanOrEqual(30);
    for (const { operationId, path } of reads)
      for (const [title, query] of QUERIES)
        await api.expectNoDelayOf(`${operationId}: many ${title}`, () =>
          api.admin.get(`${fillPath(path, api.records)}?${query}`),
        );
  });

  it('does not delay other requests with its headers', async () => {
    for (const [name, values] of Object.entries(HEADERS))
      for (const value of values)
        await api.expectNoDelayOf(`${name}: ${value.slice(0, 20)}`, () =>
          api.admin.patch(`/api/plans/${api.records.planId}`, {}, { [name]: value }),
        );
  });
});
