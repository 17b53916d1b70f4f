import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from './support/installation.js';
import { fillPath, makeOneOfEach, type OneOfEach } from './support/one-of-each.js';
import { operations } from './support/openapi.js';

let runward: Installation;
let admin: TestMember;
let ids: OneOfEach;
beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant();
  ids = await makeOneOfEach(admin, 'granite');
});
afterAll(() => runward.close());

const QUERIES: Readonly<Record<string, () => string>> = {
  getExecution: () => '?wait=0',
};
const reads = operations.filter(({ method, path }) => method === 'GET' && !path.endsWith('/stream'));

describe('an API response', () => {
  it.each(reads.map((operation): [string, (typeof reads)[number]] => [operation.operationId, operation]))(
    'is not cached by browsers or proxies: %s',
    async (id, { path }) => {
      const answer = await admin.api.get(`${fillPath(path, ids)}${QUERIES[id]?.() ?? ''}`);
      expect({ id, kept: answer.headers.get('cache-control') }).toEqual({ id, kept: 'no-store' });
    },
  );

  it('is not cached as text either: output, audit trail export', async () => {
    const texts: [string, string][] = [
      [`/api/executions/${ids.executionId}/output?serverId=${ids.serverId}&stepKey=one`, 'text/plain'],
      ['/api/audit-logs/export', 'application/x-ndjson'],
    ];
    for (const [path, accept] of texts) {
      const { status, headers } = await admin.api.get(path, { accept });
      expect({ path, status, kept: headers.get('cache-control') }).toEqual({ path, status: 200, kept: 'no-store' });
    }
  });

  it('may be stored if it is the OpenAPI document, which is public, but not used without a request', async () => {
    const etags = new Set<string | null>();
    for (const encoding of ['br', 'gzip', 'identity']) {
      const ask = (headers: Record<string, string> = {}) =>
        fetch(`${runward.url}/api/openapi.json`, { headers: { 'accept-encoding': encoding, ...headers } });
      const first = await ask();
      const etag = first.headers.get('etag') ?? '';
      etags.add(etag);
      expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'no-cache']);
      expect(first.headers.get('content-encoding') ?? 'identity').toBe(encoding);
      expect(await first.json()).toMatchObject({ openapi: '3.1.0' });
      const again = await ask({ 'if-none-match': etag });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
      expect((await ask({ 'if-none-match': 'W/"older"' })).status).toBe(200);
    }
    expect(etags.size).toBe(1);
  });

  it('to a change or a refused request is not cached', async () => {
    const made = await admin.api.post('/api/environments', { name: 'basalt' });
    const refused = await admin.api.post('/api/environments', {});
    const unknown = await runward.anonymous.get('/api/none');
    expect([made, refused, unknown].map(({ headers }) => headers.get('cache-control'))).toEqual(
      Array(3).fill('no-store'),
    );
  });
});
