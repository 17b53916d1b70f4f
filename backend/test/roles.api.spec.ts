import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Role } from '../src/common/access/principal.js';
import { newId } from '../src/common/ids.js';
import { RoutePolicies } from '../src/route-policies.js';
import { PERSON_ONLY_FIELDS } from '../src/environments/environment-fields.js';
import { type ApiClient, apiClient } from './support/api-client.js';
import { type Installation, startInstallation, type TestMember } from './support/installation.js';
import { fillPath, makeOneOfEach } from './support/one-of-each.js';
import { type Operation, operations } from './support/openapi.js';
import { sampleBody } from './support/sample-body.js';
import { tableContents } from './support/table-contents.js';

/** Repeated here independently of the code. A new route without authentication must be added in both places. */
const OPERATIONS_FOR_ANYBODY = [
  ...['getCommandLine', 'getCommandLineFile', 'getCommandLineChecksum'],
  ...['getTypeScriptClient', 'getTypeScriptClientFile'],
  ...['getLiveness', 'getReadiness', 'getInstallation', 'listProblems', 'getPlanSchema', 'login', 'setPassword'],
  ...['getEnrolmentScript', 'enrolHost', 'verifyEnrolledHost', 'receiveGitCall', 'exchangeIdentityToken'],
];
/** Operations other than GET that a viewer may call: they concern only the caller, or change nothing. */
const OPERATIONS_FOR_VIEWERS = [
  ...[
    'logout',
    'changePassword',
    'revokeOwnSession',
    'createToken',
    'revokeToken',
    'previewTargets',
    'checkPlan',
    'renderTemplate',
    'renderNewTemplate',
    'previewSchedule',
    'createBookmark',
    'deleteBookmark',
  ],
  // They need the grant `approve`, which a member with any role may have.
  ...['approveExecution', 'rejectExecution', 'withdrawApproval'],
  ...['agreeProtectionChange', 'rejectProtectionChange', 'releaseDepartedServer', 'keepDepartedServer'],
];
const READ_OPERATIONS_FOR_OPERATORS = ['listNotificationRules', 'getNotificationRule', 'listNotificationDeliveries'];
const OPERATIONS_FOR_ADMINS = [
  ...['listMembers', 'createMember', 'getMember', 'updateMember', 'removeMember', 'createPasswordLink'],
  ...['listMemberSessions', 'revokeMemberSession'],
  ...['listGrants', 'putGrant', 'deleteGrant', 'shareHostKey', 'overrideExecutionFreeze', 'overrideExecutionWindow'],
  ...['listSharedAddresses', 'markSharedAddress', 'unmarkSharedAddress'],
  'cancelExecutions',
  ...['getRetention', 'previewRetention', 'requestRetentionPass', 'putRetentionRule', 'deleteExecution'],
  ...['putEnvironmentRetentionRule', 'deleteEnvironmentRetentionRule'],
  ...['listServiceAccounts', 'createServiceAccount', 'getServiceAccount', 'updateServiceAccount'],
  ...['removeServiceAccount', 'createServiceAccountToken', 'createProtectionChange'],
  ...['listTrustRules', 'createTrustRule', 'getTrustRule', 'updateTrustRule', 'deleteTrustRule', 'tryIdentityToken'],
  ...['listAuditLogs', 'exportAuditLogs', 'verifyAuditLogs', 'takeOverWebhook'],
];

/** Operations that service accounts may not call with any role. Repeated here independently of the code. */
const OPERATIONS_FOR_PEOPLE = [
  ...['approveExecution', 'rejectExecution', 'withdrawApproval', 'setServerProtection', 'shareHostKey'],
  ...['markSharedAddress', 'unmarkSharedAddress'],
  ...['createMember', 'updateMember', 'removeMember', 'createPasswordLink', 'changePassword'],
  ...['createProtectionChange', 'agreeProtectionChange', 'rejectProtectionChange'],
  ...['releaseDepartedServer', 'keepDepartedServer'],
  ...['putGrant', 'deleteGrant', 'createServiceAccount', 'updateServiceAccount', 'removeServiceAccount'],
  ...['createServiceAccountToken', 'createTrustRule', 'updateTrustRule', 'deleteTrustRule'],
  ...['putRetentionRule', 'putEnvironmentRetentionRule', 'deleteEnvironmentRetentionRule'],
];

const cases = operations.map((operation): [string, Operation] => [operation.operationId, operation]);
const isOpen = ({ operationId }: Operation) => OPERATIONS_FOR_ANYBODY.includes(operationId);
const needsAdmin = ({ operationId }: Operation) => OPERATIONS_FOR_ADMINS.includes(operationId);
const needsOperator = (operation: Operation) =>
  (operation.method !== 'GET' || READ_OPERATIONS_FOR_OPERATORS.includes(operation.operationId)) &&
  !isOpen(operation) &&
  !needsAdmin(operation) &&
  !OPERATIONS_FOR_VIEWERS.includes(operation.operationId);

let runward: Installation;
let admin: TestMember;
let operator: TestMember;
let viewer: TestMember;
/**
 * Clients with the role admin that are not people: a service account, a token created with its token, and an exchanged
 * token.
 */
let machines: [string, ApiClient][];

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  operator = await runward.member(admin, 'operator');
  viewer = await runward.member(admin, 'viewer');
  machines = await adminMachines();
});
afterAll(() => runward.close());

async function adminMachines(): Promise<[string, ApiClient][]> {
  type Made = { id: string; token: string };
  const account = await admin.api.post<Made>('/api/service-accounts', { name: 'robot', role: 'admin' });
  const made = await admin.api.post<Made>(`/api/service-accounts/${account.body.id}/tokens`, { name: 'robot' });
  const serviceAccountClient = apiClient(runward.url, { token: made.body.token });
  const child = await serviceAccountClient.post<Made>('/api/tokens', { name: 'child' });
  const exchanged = await admin.api.post<Made>('/api/tokens', { name: 'exchanged' });
  await runward.database.query(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
  await runward.database.query('update api_tokens set exchanged = true where id = $1', [exchanged.body.id]);
  return [
    ['service account', serviceAccountClient],
    ['token made with its token', apiClient(runward.url, { token: child.body.token })],
    ['exchanged token', apiClient(runward.url, { token: exchanged.body.token })],
  ];
}

/** Sends an invalid body. A request that passes the role check then ends with 400 and changes nothing. */
async function ask(api: ApiClient, { method, path }: Operation, id: string) {
  const body = method === 'GET' ? undefined : '{"unknown":1}';
  const headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
  const answer = await api.raw<{ code?: string }>(method, `${fillPath(path, id)}?unknown=1`, body, headers);
  return { status: answer.status, code: answer.body.code };
}

const ids = () => [newId(), 'malformed'];

describe.each(cases)('%s', (_, operation) => {
  it(isOpen(operation) ? 'requires no credentials' : 'answers 401 without credentials', async () => {
    const expected = isOpen(operation) ? [400, 'invalid_request'] : [401, 'unauthorized'];
    for (const id of ids()) {
      const { status, code } = await ask(runward.anonymous, operation, id);
      expect([status, code]).toEqual(expected);
    }
  });

  const members = () => [
    { name: 'viewer', member: viewer, may: !needsOperator(operation) && !needsAdmin(operation) },
    { name: 'operator', member: operator, may: !needsAdmin(operation) },
    { name: 'admin', member: admin, may: true },
  ];
  const allowed = needsAdmin(operation) ? 'admins' : needsOperator(operation) ? 'operators and admins' : 'every member';

  it(`is open to ${allowed}; other members get 403 before anything is read`, async () => {
    for (const { name, member, may } of members()) {
      const [status, code] = may ? [400, 'invalid_request'] : [403, 'insufficient_role'];
      for (const id of ids())
        expect({ name, ...(await ask(member.api, operation, id)) }).toEqual({ name, status, code });
    }
  });
});

describe('a machine with the role admin', () => {
  const writes = operations.filter((operation) => operation.method !== 'GET' && !isOpen(operation));
  const forPeople = ({ operationId }: Operation) => OPERATIONS_FOR_PEOPLE.includes(operationId);

  it('gets 403 before anything is read, on all writes of rights, approvals and evidence and on no others', async () => {
    expect(writes.filter(forPeople).length).toBe(OPERATIONS_FOR_PEOPLE.length);
    for (const [name, api] of machines)
      for (const operation of writes) {
        const [status, code] = forPeople(operation) ? [403, 'person_required'] : [400, 'invalid_request'];
        for (const id of ids())
          expect({ name, id: operation.operationId, ...(await ask(api, operation, id)) }).toEqual({
            name,
            id: operation.operationId,
            status,
            code,
          });
      }
  });

  it('changes no row by them with valid bodies and existing records', async () => {
    const records = await makeOneOfEach(admin, 'slate');
    const before = await tableContents(runward.database);
    for (const [name, api] of machines)
      for (const { operationId, method, path, body } of writes.filter(forPeople)) {
        const json = body && JSON.stringify(sampleBody(body, { ...records }));
        const headers: Record<string, string> = json ? { 'content-type': 'application/json' } : {};
        const answer = await api.raw<{ code: string }>(method, fillPath(path, records), json, headers);
        expect([name, operationId, answer.status, answer.body.code]).toEqual([
          name,
          operationId,
          403,
          'person_required',
        ]);
      }
    expect(await tableContents(runward.database)).toEqual(before);
  });

  it.each(PERSON_ONLY_FIELDS)('cannot change %s of an environment or delete a protected one', async (field) => {
    const fields = { protected: true, access: 'restricted' };
    const { body } = await admin.api.post<{ id: string }>('/api/environments', { name: `kept ${field}`, ...fields });
    const path = `/api/environments/${body.id}`;
    const before = (await admin.api.get(path)).body;
    const values = {
      access: 'open',
      requiredApprovals: 1,
      approvalTtlSeconds: 86_400,
      protectionDelaySeconds: 86_400,
      unknownAuthors: 'show',
    } as Record<string, unknown>;
    for (const [name, api] of machines) {
      const change = await api.patch<{ code: string }>(path, { [field]: values[field] ?? false });
      expect([name, change.status, change.body.code]).toEqual([name, 403, 'person_required']);
      const deletion = await api.delete<{ code: string }>(path);
      expect([name, deletion.status, deletion.body.code]).toEqual([name, 403, 'person_required']);
    }
    expect((await admin.api.get(path)).body).toEqual(before);
    expect((await machines[0]![1].patch(path, { description: 'by a pipeline' })).status).toBe(200);
  });
});

describe('a member with an insufficient role', () => {
  it('changes no row and reads nothing with valid bodies and existing records', async () => {
    const records = await makeOneOfEach(admin, 'granite');
    const before = await tableContents(runward.database);
    const refused: [string, ApiClient, Operation[]][] = [
      ['viewer', viewer.api, operations.filter((operation) => needsOperator(operation) || needsAdmin(operation))],
      ['operator', operator.api, operations.filter(needsAdmin)],
    ];
    for (const [name, api, forbidden] of refused) {
      expect(forbidden.length).toBeGreaterThanOrEqual(14);
      for (const { operationId, method, path, body } of forbidden) {
        const json = body && JSON.stringify(sampleBody(body, { ...records, generate: { type: 'ed25519' } }));
        const headers: Record<string, string> = json ? { 'content-type': 'application/json' } : {};
        const answer = await api.raw<{ code: string }>(method, fillPath(path, records), json, headers);
        expect({ name, operationId, status: answer.status, code: answer.body.code }).toEqual({
          name,
          operationId,
          status: 403,
          code: 'insufficient_role',
        });
        expect(answer.text).not.toContain('granite');
      }
    }
    expect(await tableContents(runward.database)).toEqual(before);
  });
});

describe('the routes of the running application', () => {
  it('declare a policy each, and are those of the committed document', () => {
    const routes = runward.app.get(RoutePolicies).list();
    expect(routes.filter(({ policy }) => policy === undefined)).toEqual([]);
    expect(routes.length).toBe(operations.length);
    expect(routes.filter(({ policy }) => policy?.public).length).toBe(OPERATIONS_FOR_ANYBODY.length);
    const operationsWithRole = (role: Role) =>
      routes.filter(({ policy }) => policy && !policy.public && policy.role === role).length;
    expect(operationsWithRole('operator')).toBe(operations.filter(needsOperator).length);
    expect(operationsWithRole('admin')).toBe(OPERATIONS_FOR_ADMINS.length);
    const known = operations.map(({ operationId }) => operationId);
    expect(
      [
        ...OPERATIONS_FOR_ANYBODY,
        ...OPERATIONS_FOR_VIEWERS,
        ...READ_OPERATIONS_FOR_OPERATORS,
        ...OPERATIONS_FOR_ADMINS,
      ].filter((id) => !known.includes(id)),
    ).toEqual([]);
  });
});
