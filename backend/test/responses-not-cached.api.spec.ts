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

  it('is not cached as text either: output, audit trail export, OpenAPI document', async () => {
    const texts: [string, string][] = [
      [`/api/executions/${ids.executionId}/output?serverId=${ids.serverId}&stepKey=one`, 'text/plain'],
      ['/api/audit-logs/export', 'application/x-ndjson'],
      ['/api/openapi.json', 'application/json'],
    ];
    for (const [path, accept] of texts) {
      const { status, headers } = await admin.api.get(path, { accept });
      expect({ path, status, kept: headers.get('cache-control') }).toEqual({ path, status: 200, kept: 'no-store' });
    }
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
