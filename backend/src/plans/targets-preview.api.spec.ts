import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';

interface Preview {
  count: number;
  servers: { name: string; hostKeyFingerprint: string | null; lastCheckState: string | null }[];
  stepCounts: Record<string, number>;
  code?: string;
  errors?: { path: string; code: string }[];
}

let runward: Installation;
let viewer: TestMember;
let planId: string;
let staging: string;

beforeAll(async () => {
  runward = await startInstallation();
  const admin = await runward.tenant('acme');
  viewer = await runward.member(admin, 'viewer');
  const id = async (path: string, body: object) => (await admin.api.post<{ id: string }>(path, body)).body.id;
  const production = await id('/api/environments', { name: 'production' });
  staging = await id('/api/environments', { name: 'staging' });
  const sshKeyId = await id('/api/ssh-keys', { name: 'deploy', generate: { type: 'ed25519' } });
  const server = (name: string, environmentId: string, role: string, enabled = true) =>
    id('/api/inventory/servers', {
      name,
      hostname: `${name}.invalid`,
      username: 'a',
      sshKeyId,
      environmentId,
      enabled,
      tags: { role },
    });
  await server('web-2', production, 'web');
  await server('web-1', production, 'web');
  await server('web-3', production, 'web', false);
  await server('db-1', production, 'db');
  await server('mail-1', production, 'mail');
  await server('web-s', staging, 'web');
  planId = await id('/api/plans', {
    name: 'restart',
    environmentId: production,
    targets: 'role in (web, db)',
    steps: [
      { key: 'all', command: 'true' },
      { key: 'web', command: 'true', targets: 'role=web' },
      { key: 'none', command: 'true', targets: 'role=db,region=eu' },
    ],
  });
});
afterAll(() => runward.close());

const preview = (body: object) => viewer.api.post<Preview>(`/api/plans/${planId}/targets`, body);

describe('the preview of a plan’s targets', () => {
  it('lists the matching enabled servers by name, and their number for each step', async () => {
    const { status, body } = await preview({});
    expect(status).toBe(200);
    expect(body.servers.map(({ name }) => name)).toEqual(['db-1', 'web-1', 'web-2']);
    expect(body).toMatchObject({ count: 3, stepCounts: { all: 3, web: 2, none: 0 } });
    expect(body.servers[0]).toMatchObject({ hostKeyFingerprint: null, lastCheckState: null });
  });

  it('can be narrowed further by the caller, but not widened', async () => {
    expect((await preview({ targets: 'name=web-*' })).body.count).toBe(2);
    expect((await preview({ targets: 'role=mail' })).body.count).toBe(0);
  });

  it('uses the named environment', async () => {
    expect((await preview({ environmentId: staging })).body.servers.map(({ name }) => name)).toEqual(['web-s']);
  });

  it('rejects an invalid selector', async () => {
    const { status, body } = await preview({ targets: '(' });
    expect([status, body.errors?.[0]]).toEqual([
      400,
      expect.objectContaining({ path: '/targets', code: 'invalid_selector' }),
    ]);
  });
});

describe('the preview of a plan without an environment', () => {
  it('requires one', async () => {
    const operator = await runward.member(viewer, 'operator');
    const made = await operator.api.post<{ id: string }>('/api/plans', {
      name: 'anywhere',
      steps: [{ key: 'a', command: 'true' }],
    });
    const path = `/api/plans/${made.body.id}/targets`;
    const { status, body } = await viewer.api.post<Preview>(path, {});
    expect([status, body.errors?.[0]?.path]).toEqual([400, '/environmentId']);
    expect((await viewer.api.post<Preview>(path, { environmentId: staging })).body.count).toBe(1);
  });
});
