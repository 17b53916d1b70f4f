import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EnvironmentScene, makeScene, made } from '../../test/support/environment-scene.js';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import type { PlanVariablesView, ResolvedVariableView } from './plans.view.js';

const SECRET_CANARY = 'canary-of-a-server-91c';

let runward: Installation;
let admin: TestMember;
let scene: EnvironmentScene;
let second: string;

const preview = async (query = ''): Promise<Record<string, ResolvedVariableView>> => {
  const { body } = await admin.api.get<PlanVariablesView>(`/api/plans/${scene.planId}/variables${query}`);
  return Object.fromEntries(body.items.map((each) => [each.name, each]));
};
const onServer = (id: string, key: string, body: object) =>
  admin.api.put(`/api/inventory/servers/${id}/variables/${key}`, body);

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  scene = await makeScene(admin.api, {
    name: 'shown',
    plan: {
      variables: [
        { name: 'PORT', type: 'integer', default: 80 },
        { name: 'NODE_ID', type: 'integer', required: true },
        { name: 'TOKEN', type: 'string', pattern: 'a+' },
        { name: 'KIND', type: 'choice', choices: ['web', 'db'] },
      ],
    },
  });
  const { environmentId, keyId } = scene;
  second = await made(
    admin.api.post('/api/inventory/servers', {
      name: 'shown-2',
      hostname: '127.0.0.2',
      username: 'deploy',
      sshKeyId: keyId,
      environmentId,
    }),
  );
  await admin.api.put(`/api/environments/${environmentId}/variables/PORT`, { value: 8080 });
  await admin.api.put(`/api/environments/${environmentId}/variables/TOKEN`, { value: 'of-the-environment' });
  await onServer(scene.serverId, 'PORT', { value: 9090 });
  await onServer(scene.serverId, 'NODE_ID', { value: 1 });
  await onServer(second, 'NODE_ID', { value: 'two' });
  await onServer(second, 'TOKEN', { value: SECRET_CANARY, secret: true });
  await onServer(second, 'BESIDE', { value: true });
});
afterAll(() => runward.close());

describe('preview of variables', () => {
  it('shows source and overridden values for a server', async () => {
    expect(await preview(`?serverId=${scene.serverId}`)).toMatchObject({
      PORT: {
        value: 9090,
        source: 'server',
        overrides: [
          { source: 'environment', value: 8080 },
          { source: 'plan', value: 80 },
        ],
        reason: null,
        serverCount: 0,
      },
      NODE_ID: { value: 1, source: 'server', overrides: [], reason: null },
      TOKEN: {
        value: null,
        source: null,
        reason: { code: expect.any(String), text: expect.stringContaining('must match the pattern') },
      },
      KIND: { value: null, source: null, reason: null },
    });
  });

  it('shows type errors, and neither shows nor validates secrets and the values that they override', async () => {
    const previewAnswer = await preview(`?serverId=${second}`);
    expect(previewAnswer).toMatchObject({
      NODE_ID: {
        value: null,
        reason: { code: expect.any(String), text: expect.stringMatching(/whole number.*comes from the server/) },
      },
      TOKEN: {
        secret: true,
        value: null,
        source: 'server',
        reason: null,
        overrides: [{ source: 'environment', value: null }],
      },
      BESIDE: { declared: false, type: null, value: true, source: 'server' },
    });
    expect(JSON.stringify(previewAnswer)).not.toContain(SECRET_CANARY);
  });

  it('shows shared values of an environment, and servers with their own values', async () => {
    const previewAnswer = await preview();
    expect(previewAnswer).toMatchObject({
      PORT: {
        value: 8080,
        source: 'environment',
        overrides: [{ source: 'plan', value: 80 }],
        serverCount: 1,
        servers: [{ serverName: 'shown-1', value: 9090, secret: false, reason: null }],
      },
      NODE_ID: {
        value: null,
        source: null,
        // No problem, because each server sets the variable.
        reason: null,
        serverCount: 2,
        servers: [
          { serverName: 'shown-1', value: 1, reason: null },
          {
            serverName: 'shown-2',
            value: 'two',
            reason: { code: expect.any(String), text: expect.stringContaining('whole number') },
          },
        ],
      },
      TOKEN: { serverCount: 1, servers: [{ serverName: 'shown-2', value: null, secret: true, reason: null }] },
      BESIDE: { declared: false, source: null, value: null, serverCount: 1 },
    });
    expect(JSON.stringify(previewAnswer)).not.toContain(SECRET_CANARY);
  });

  it('does not find servers of other environments, or servers that the caller cannot see', async () => {
    const other = await makeScene(admin.api, { name: 'other', environment: { access: 'restricted' } });
    const viewer = await runward.member(admin, 'viewer');
    const path = `/api/plans/${scene.planId}/variables`;
    const mismatched = await admin.api.get<{ errors: object[] }>(
      `${path}?environmentId=${scene.environmentId}&serverId=${other.serverId}`,
    );
    expect([mismatched.status, mismatched.body.errors]).toMatchObject([404, [{ path: '?serverId' }]]);
    expect((await admin.api.get(`${path}?serverId=${other.serverId}`)).status).toBe(200);
    expect((await viewer.api.get(`${path}?serverId=${other.serverId}`)).status).toBe(404);
    expect((await viewer.api.get(`${path}?serverId=${scene.serverId}`)).status).toBe(200);
  });
});
