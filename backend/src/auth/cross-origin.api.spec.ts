import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, apiClient } from '../../test/support/api-client.js';
import { type Installation, PASSWORD, startInstallation, type TestMember } from '../../test/support/installation.js';

const PUBLIC_URL = 'http://runward.example.test:8080';

let runward: Installation;
let admin: TestMember;
let session: ApiClient;

beforeAll(async () => {
  runward = await startInstallation({ RUNWARD_PUBLIC_URL: PUBLIC_URL });
  admin = await runward.tenant('acme');
  const login = await runward.anonymous.post('/api/auth/login', { email: admin.email, password: PASSWORD });
  session = apiClient(runward.url, { cookie: (login.headers.get('set-cookie') ?? '').split(';')[0] });
});
afterAll(() => runward.close());

let numbered = 0;
const create = (headers: Record<string, string>) => {
  numbered += 1;
  return session.post<{ code?: string }>('/api/environments', { name: `environment-${numbered}` }, headers);
};
const count = async () => (await session.get<{ items: unknown[] }>('/api/environments')).body.items.length;

describe('a request that changes data', () => {
  it('is refused from another site and changes nothing', async () => {
    const before = await count();
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${PUBLIC_URL}.evil.example` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of foreign) {
      const { status, body } = await create(headers);
      expect({ headers, status, code: body.code }).toEqual({ headers, status: 403, code: 'cross_origin' });
    }
    expect(await count()).toBe(before);
  });

  it('is also refused at login', async () => {
    const body = { email: admin.email, password: PASSWORD };
    const answer = await runward.anonymous.post<{ code: string }>('/api/auth/login', body, {
      origin: 'https://evil.example',
    });
    expect([answer.status, answer.body.code]).toEqual([403, 'cross_origin']);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });

  it('is accepted from the same site, the public address, the address bar and programs', async () => {
    const own: Record<string, string>[] = [
      {},
      { origin: PUBLIC_URL },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin' },
    ];
    for (const headers of own)
      expect({ headers, status: (await create(headers)).status }).toEqual({ headers, status: 201 });
  });
});

describe('a read request', () => {
  it('is answered without CORS headers', async () => {
    const answer = await session.get('/api/environments', { origin: 'https://evil.example' });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });
});
