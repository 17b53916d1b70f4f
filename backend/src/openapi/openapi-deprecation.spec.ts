import { readFileSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, type INestApplication, Module, Post, Query } from '@nestjs/common';
import { APP_INTERCEPTOR, NestFactory } from '@nestjs/core';
import { ApiProperty, ApiPropertyOptional, type OpenAPIObject } from '@nestjs/swagger';
import { DeprecatedField, DeprecatedRoute, type Deprecation } from '../common/http/deprecation/deprecation.js';
import { DeprecationHeadersInterceptor } from '../common/http/deprecation/deprecation-headers.js';
import { Route } from '../common/http/route.js';
import { listDeprecationFaults } from './openapi-deprecation.js';
import { describeApi } from './openapi-document.js';
import type { DescribedOperation, Schema } from './openapi-schemas.js';

const OLD_ROUTE: Deprecation = { since: '2027-03-01', sunset: '2027-10-01', successor: 'POST /api/lamps' };
const OLD_FIELD: Deprecation = { since: '2027-01-01', sunset: null, successor: 'brightness' };

class SwitchLampRequest {
  @ApiProperty({ description: 'Light output, in lumens.' })
  brightness: number;

  @ApiPropertyOptional({ description: 'Electrical power, in watts.' })
  @DeprecatedField(OLD_FIELD)
  power?: number;
}

class ListLampsQuery {
  @ApiPropertyOptional({ description: 'Page size.' })
  limit?: string;

  @ApiPropertyOptional({ description: 'Number of the page.' })
  @DeprecatedField({ ...OLD_FIELD, successor: 'limit' })
  page?: string;
}

@Controller('api/lamps')
class LampController {
  @Get()
  @Route({ id: 'listLamps', summary: 'List lamps', answer: null })
  list(@Query() _query: ListLampsQuery): void {}

  @Post()
  @Route({ id: 'switchLamp', summary: 'Switch a lamp', answer: null })
  switch(@Body() _body: SwitchLampRequest): void {}

  @Get('first')
  @DeprecatedRoute(OLD_ROUTE)
  @Route({ id: 'getFirstLamp', summary: 'Get the first lamp', answer: null })
  first(): void {}
}

@Module({
  controllers: [LampController],
  providers: [{ provide: APP_INTERCEPTOR, useClass: DeprecationHeadersInterceptor }],
})
class LampModule {}

let app: INestApplication;
let url: string;
let document: OpenAPIObject;

beforeAll(async () => {
  app = await NestFactory.create(LampModule, { logger: ['error'] });
  await app.listen(0, '127.0.0.1');
  url = `http://127.0.0.1:${((app.getHttpServer() as Server).address() as AddressInfo).port}/api/lamps`;
  document = describeApi(app);
});
afterAll(() => app.close());

async function headersOf(path: string, body?: object): Promise<(string | null)[]> {
  const init = body && {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  };
  const { status, headers } = await fetch(url + path, init);
  expect(status).toBe(204);
  return [headers.get('deprecation'), headers.get('sunset')];
}

describe('a deprecated route', () => {
  it('sends its dates with each answer', async () => {
    expect(await headersOf('/first')).toEqual(['@1803859200', 'Fri, 01 Oct 2027 00:00:00 GMT']);
  });

  it('is marked in the document, with replacement, dates and headers', () => {
    const operation = operationAt('/api/lamps/first', 'get');
    expect(operation).toMatchObject({
      deprecated: true,
      description: expect.stringMatching(
        /since 2027-03-01: use `POST \/api\/lamps`\. It can be removed from 2027-10-01/,
      ),
      'x-deprecation': OLD_ROUTE,
    });
    const { $ref = '', headers } = operation.responses['204'] ?? {};
    const shared = document.components?.responses?.[$ref.replace('#/components/responses/', '')] as typeof headers;
    expect(JSON.stringify(headers ?? shared)).toMatch(/"Deprecation".*"Link".*"Sunset"/);
    expect(Object.keys(document.components?.headers ?? {})).toContain('Sunset');
  });
});

describe('a deprecated field', () => {
  it('sends its dates only if the request has the field', async () => {
    expect(await headersOf('', { brightness: 800 })).toEqual([null, null]);
    expect(await headersOf('', { brightness: 800, power: 60 })).toEqual(['@1798761600', null]);
    expect(await headersOf('?limit=1')).toEqual([null, null]);
    expect(await headersOf('?page=1')).toEqual(['@1798761600', null]);
  });

  it('is marked in the document', () => {
    const request = document.components?.schemas?.SwitchLampRequest as Schema | undefined;
    const marked = {
      deprecated: true,
      description: 'Electrical power, in watts. Deprecated since 2027-01-01: use `brightness`.',
    };
    expect(request?.properties?.power).toMatchObject(marked);
    expect(request?.properties?.brightness).not.toHaveProperty('deprecated');
    const page = operationAt('/api/lamps', 'get').parameters?.find(({ name }) => name === 'page');
    expect(page).toMatchObject({ deprecated: true });
  });
});

describe('the check of deprecations', () => {
  const faultsWith = (change: Partial<Deprecation> | undefined, today = '2027-03-01') => {
    const changed = structuredClone(document);
    const operation = changed.paths['/api/lamps/first']?.get as { 'x-deprecation'?: Deprecation };
    if (change) operation['x-deprecation'] = { ...OLD_ROUTE, ...change };
    else delete operation['x-deprecation'];
    return listDeprecationFaults(changed, today);
  };

  it.each<[string, Partial<Deprecation> | undefined, string, string]>([
    ['a sunset that has passed', {}, '2027-10-01', 'is past its sunset 2027-10-01'],
    ['a successor that does not exist', { successor: 'GET /api/bulbs' }, '2027-03-01', 'has no successor that exists'],
    ['less notice than six months', { sunset: '2027-08-31' }, '2027-03-01', 'has less than 6 months notice'],
    ['no dates and successor', undefined, '2027-03-01', 'has no date of its deprecation'],
  ])('reports %s', (_, change, today, fault) => {
    expect(faultsWith(change, today)).toEqual(
      expect.arrayContaining([expect.stringContaining(`GET /api/lamps/first ${fault}`)]),
    );
  });

  it('accepts complete deprecations until their sunset', () => {
    expect(faultsWith({}, '2027-09-30')).toEqual([]);
  });

  it('finds nothing in the API of this version today', () => {
    const committed = JSON.parse(
      readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'),
    ) as OpenAPIObject;
    expect(listDeprecationFaults(committed, new Date().toISOString().slice(0, 10))).toEqual([]);
  });
});

const operationAt = (path: string, method: 'get' | 'post'): DescribedOperation =>
  document.paths[path]?.[method] as unknown as DescribedOperation;
