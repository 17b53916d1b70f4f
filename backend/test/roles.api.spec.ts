import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../src/common/ids.js';
import { RoutePolicies } from '../src/route-policies.js';
import { type ApiClient } from './support/api-client.js';
import { type Installation, startInstallation, type TestMember } from './support/installation.js';
import { fillPath, makeOneOfEach } from './support/one-of-each.js';
import { type Operation, operations } from './support/openapi.js';
import { tableContents } from './support/table-contents.js';

/** Said here once more and apart from the code: whoever opens a route has to say so in both places. */
const FOR_ANYBODY = ['getLiveness', 'getReadiness', 'login'];
/** Calls other than GET that a viewer may make: about the caller alone, or changing nothing. */
const FOR_VIEWERS = ['logout', 'createToken', 'revokeToken', 'previewTargets'];

const cases = operations.map((operation): [string, Operation] => [operation.operationId, operation]);
const isOpen = ({ operationId }: Operation) => FOR_ANYBODY.includes(operationId);
const needsOperator = (operation: Operation) =>
  operation.method !== 'GET' && !isOpen(operation) && !FOR_VIEWERS.includes(operation.operationId);

let runward: Installation;
let admin: TestMember;
let operator: TestMember;
let viewer: TestMember;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  operator = await runward.member(admin, 'operator');
  viewer = await runward.member(admin, 'viewer');
});
afterAll(() => runward.close());

/** Sends a body that no route takes, so that whatever passes the role ends at 400 and acts on nothing. */
async function ask(api: ApiClient, { method, path }: Operation, id: string) {
  const body = method === 'GET' ? undefined : '{"unknown":1}';
  const headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
  const answer = await api.raw<{ code?: string }>(method, `${fillPath(path, id)}?unknown=1`, body, headers);
  return { status: answer.status, code: answer.body.code };
}

const ids = () => [newId(), 'malformed'];

describe.each(cases)('%s', (_, operation) => {
  it(isOpen(operation) ? 'asks nobody who they are' : 'answers 401 to nobody', async () => {
    const expected = isOpen(operation) ? [400, 'invalid_request'] : [401, 'unauthorized'];
    for (const id of ids()) {
      const { status, code } = await ask(runward.anonymous, operation, id);
      expect([status, code]).toEqual(expected);
    }
  });

  it(
    needsOperator(operation) ? 'answers 403 to a viewer before it looks at anything' : 'is open to a viewer',
    async () => {
      const expected = needsOperator(operation) ? [403, 'insufficient_role'] : [400, 'invalid_request'];
      for (const id of ids()) {
        const { status, code } = await ask(viewer.api, operation, id);
        expect([status, code]).toEqual(expected);
      }
    },
  );

  it('is open to an operator and an admin', async () => {
    for (const { api } of [operator, admin]) {
      for (const id of ids()) expect(await ask(api, operation, id)).toEqual({ status: 400, code: 'invalid_request' });
    }
  });
});

describe('a viewer', () => {
  it('changes no row with a body that is well', async () => {
    const records = await makeOneOfEach(operator, 'granite');
    const before = await tableContents(runward.database);
    const writes: [string, string, object?][] = [
      ['POST', '/api/environments', { name: 'new' }],
      ['PATCH', `/api/environments/${records.environmentId}`, { name: 'new' }],
      ['DELETE', `/api/inventory/servers/${records.serverId}`],
      ['POST', '/api/ssh-keys', { name: 'new', generate: { type: 'ed25519' } }],
      ['PATCH', `/api/plans/${records.planId}`, { steps: [{ key: 'a', command: 'rm -rf /' }] }],
      ['POST', '/api/executions', { planId: records.planId, execution_mode: 'auto' }],
      ['POST', `/api/executions/${records.executionId}/cancel`, {}],
    ];
    for (const [method, path, body] of writes) {
      const headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
      const answer = await viewer.api.raw(method, path, body && JSON.stringify(body), headers);
      expect({ path, status: answer.status }).toEqual({ path, status: 403 });
    }
    expect(await tableContents(runward.database)).toEqual(before);
  });
});

describe('the routes of the running application', () => {
  it('each declare a policy, and are those of the committed document', () => {
    const routes = runward.app.get(RoutePolicies).list();
    expect(routes.filter(({ policy }) => policy === undefined)).toEqual([]);
    expect(routes.length).toBe(operations.length);
    expect(routes.filter(({ policy }) => policy?.public).length).toBe(FOR_ANYBODY.length);
    const operators = routes.filter(({ policy }) => policy && !policy.public && policy.role === 'operator');
    expect(operators.length).toBe(operations.filter(needsOperator).length);
  });
});
