import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../src/common/ids.js';
import { comparable } from './support/environment-scene.js';
import { type Installation, startInstallation, type TestMember } from './support/installation.js';
import { makeOneOfEach, type OneOfEach } from './support/one-of-each.js';
import type { Operation } from './support/openapi.js';
import { tableContents } from './support/table-contents.js';
import { type IdPosition, isolatedIdPositions, listIn } from './support/isolated-places.js';

/** Kinds of records that only members who see their environment can see. */
const ISOLATED: (keyof OneOfEach)[] = [
  ...(['environmentId', 'serverId', 'jumpServerId', 'importId', 'enrolmentId', 'executionId', 'planId'] as const),
  'scheduleId',
];
/** Word in every text of the invisible records. */
const TENANT_WORD = 'quartz';

let runward: Installation;
/** Records in an environment for which the tenant's other members have no grant. */
let hidden: OneOfEach;
let foreign: OneOfEach;
let own: OneOfEach;
const callers: [string, TestMember][] = [];
let admin: TestMember;
let before: Record<string, string>;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  own = await makeOneOfEach(admin, 'granite');
  hidden = await makeOneOfEach(admin, TENANT_WORD);
  const restrict = await admin.api.patch(`/api/environments/${hidden.environmentId}`, { access: 'restricted' });
  expect(restrict.status).toBe(200);
  foreign = await makeOneOfEach(await runward.tenant('elsewhere'), `${TENANT_WORD}-elsewhere`);
  for (const role of ['viewer', 'operator'] as const) callers.push([role, await runward.member(admin, role)]);
  before = await tableContents(runward.database);
});
afterAll(() => runward.close());

const PLACES = isolatedIdPositions(ISOLATED, () => own);
/** A change of a key needs a grant in the environment of every server that uses it. */
const PLACES_FOR_GRANTS = [
  ...PLACES,
  ...isolatedIdPositions(['sshKeyId'], () => own).filter(({ name }) => name.includes('{')),
].filter(({ operation }) => operation.method !== 'GET');
/** Operations other than GET that need no more than the grant `view`. */
const VIEWING = [
  ...['renderNewTemplate', 'renderTemplate', 'previewTargets', 'withdrawApproval'],
  ...['importPlans', 'restorePlan', 'createPlan', 'updatePlan', 'deletePlan'],
];

/** The role is checked before any record is read, so its refusal comes first. */
function refusalFor(role: string, { operationId, method }: Operation): string {
  const forViewers =
    method === 'GET' ||
    [
      'previewTargets',
      'approveExecution',
      'rejectExecution',
      'withdrawApproval',
      'agreeProtectionChange',
      'rejectProtectionChange',
      'releaseDepartedServer',
      'keepDepartedServer',
      'renderTemplate',
      'renderNewTemplate',
    ].includes(operationId);
  const high =
    /Grants?$|Retention|^(cancelExecutions|createProtectionChange|shareHostKey|overrideExecutionFreeze|overrideExecutionWindow|deleteExecution)$/.test(
      operationId,
    ) ||
    (role === 'viewer' && !forViewers);
  return high ? 'insufficient_role' : 'not_found';
}

describe('a record in an invisible environment', () => {
  it.each(PLACES.map((place): [string, IdPosition] => [place.name, place]))(
    'looks to %s like a record of another tenant and a missing one, byte for byte',
    async (_, place) => {
      for (const [role, caller] of callers) {
        const random = await place.send(caller, newId());
        // Downloads return the list directly, without `items`.
        if (random.status === 200) expect(listIn(random.body)).toEqual([]);
        else expect({ role, code: random.body.code }).toEqual({ role, code: refusalFor(role, place.operation) });
        for (const records of [hidden, foreign]) {
          const answer = await place.send(caller, records[place.kind]);
          expect({ role, ...comparable(answer) }).toEqual({ role, ...comparable(random) });
          expect(answer.headers.get('etag')).toBeNull();
        }
      }
    },
  );

  it('was not changed', async () => {
    expect(await tableContents(runward.database)).toEqual(before);
  });

  it('answers the missing grant where the caller may only view the environment', async () => {
    const restricted = { access: 'restricted' };
    expect((await admin.api.patch(`/api/environments/${own.environmentId}`, restricted)).status).toBe(200);
    for (const [role, caller] of callers) {
      const grant = `/api/environments/${own.environmentId}/grants/${caller.userId}`;
      expect((await admin.api.put(grant, { level: 'view' })).status).toBe(200);
      for (const place of PLACES_FOR_GRANTS) {
        const { name, kind, operation } = place;
        if (refusalFor(role, operation) === 'insufficient_role') continue;
        const { status, body } = await place.send(caller, own[kind]);
        if (VIEWING.includes(operation.operationId)) expect([name, body.code]).not.toEqual([name, 'not_found']);
        else {
          expect([name, status, body.code]).toEqual([name, 403, 'grant_required']);
          expect([name, body.detail]).toEqual([name, expect.stringMatching(/grant "(run|approve)".+ [Aa]sk an admin/)]);
        }
      }
      expect((await admin.api.delete(grant)).status).toBe(204);
    }
    expect((await admin.api.patch(`/api/environments/${own.environmentId}`, { access: 'open' })).status).toBe(200);
  });

  it('would have been found in a visible environment', async () => {
    const [, [, operator]] = callers as [unknown, [string, TestMember]];
    // Sorts the longest paths first, because deleting a record deletes its children.
    const depth = ({ method, path }: Operation) => (method === 'DELETE' ? 100 - path.split('/').length : 0);
    const testedPlaces = PLACES.filter(
      ({ operation: { operationId } }) => !['streamExecution', 'checkServer', 'diagnoseServer'].includes(operationId),
    );
    for (const place of testedPlaces.sort((a, b) => depth(a.operation) - depth(b.operation))) {
      const { status, body } = await place.send(operator, own[place.kind]);
      // The code `circular_call` shows that the request found the plan.
      const isCircularCall = status === 400 && body.errors?.[0]?.code === 'circular_call';
      // A run is not compared with itself, and it is the only one.
      const isSameRun = status === 400 && place.name.endsWith(' ?with') && body.errors?.[0]?.code === 'invalid_value';
      if (status === 403 && body.code !== 'grant_required')
        expect([place.name, body.code]).toEqual([place.name, refusalFor('operator', place.operation)]);
      else
        expect({
          name: place.name,
          found: isCircularCall || isSameRun || (status !== 404 && status !== 400 && status < 500),
        }).toEqual({
          name: place.name,
          found: true,
        });
    }
  });

  it('was requested by path, query and body', () => {
    const counted = (sign: string) => PLACES.filter(({ name }) => name.includes(sign)).length;
    expect(counted('{')).toBeGreaterThanOrEqual(20);
    expect(counted('?')).toBeGreaterThanOrEqual(6);
    expect(counted(' /')).toBeGreaterThanOrEqual(6);
  });
});
