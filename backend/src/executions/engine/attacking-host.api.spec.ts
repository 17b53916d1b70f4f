import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FloodingHost, startFloodingHost } from '../../../../scripts/lib/flooding-host.mjs';
import type { ApiClient } from '../../../test/support/api-client.js';
import { countStatements } from '../../../test/support/counted-statements.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { generateKeyPair } from '../../transport/keys/key-material.js';
import type { DiagnosisView } from '../../inventory/doctor/diagnosis.view.js';
import type { ServerView } from '../../inventory/servers.view.js';
import type { ExecutionView } from '../contract/execution.view.js';
import type { HostResultView } from '../contract/results.view.js';

/** When the flood starts: before or after Runward sent a command. */
const FLOOD_KINDS = { early: 'global requests', late: 'channel requests' };

const named: unknown = expect.stringContaining('Runward ended the connection');

let lab: RunLab;
const hosts: FloodingHost[] = [];
let neighbour: { api: ApiClient; planId: string };
const servers = new Map<string, string>();

beforeAll(async () => {
  lab = await startRunLab({ spare: 1 });
  for (const [name, kind] of Object.entries(FLOOD_KINDS)) {
    const { privateKey, publicKey } = await generateKeyPair({ type: 'ed25519', comment: name });
    const host = await startFloodingHost(kind, { privateKey });
    hosts.push(host);
    const { id } = await lab.server({ name, hostname: '127.0.0.1', port: host.port, hostKey: { publicKey } });
    servers.set(name, id);
  }
  neighbour = await makeNeighbour();
  await lab.runward.worker({ recoverySeconds: 60 });
});

async function makeNeighbour(): Promise<typeof neighbour> {
  const { api } = await lab.runward.tenant();
  const create = async (where: string, body: object) => (await api.post<{ id: string }>(where, body)).body.id;
  const environmentId = await create('/api/environments', { name: 'beside' });
  const sshKeyId = await create('/api/ssh-keys', { name: 'beside', privateKey: lab.hosts.key.privateKey });
  const { port, user: username } = lab.hosts.sshd;
  const at = { hostname: lab.spare[0], port, username, hostKey: lab.hosts.hostKey(lab.spare[0]) };
  await create('/api/inventory/servers', { name: 'beside', environmentId, sshKeyId, ...at });
  const steps = [{ key: 'fine', command: 'echo fine' }];
  return { api, planId: await create('/api/plans', { name: 'beside', environmentId, targets: '', steps }) };
}

afterAll(async () => {
  await lab.close();
  await Promise.all(hosts.map((host) => host.stop()));
});

describe('a host that floods its connections', () => {
  it('is named in the result and connected to once, while the run of another tenant ends', async () => {
    const step = { command: 'true', idempotent: true, retries: { count: 5, delaySeconds: 1 } };
    const attackedPlanId = await lab.plan([step], { targets: 'name in (early, late)' });
    const statements = countStatements();
    const { id } = await lab.start(attackedPlanId);
    const other = await lab.start(neighbour.planId, {}, neighbour.api);
    const beside = await neighbour.api.get<ExecutionView>(`/api/executions/${other.id}?wait=40&until=settled`);
    await lab.settled(id);
    statements.stop();
    expect(beside.body).toMatchObject({ status: 'SUCCEEDED' });
    const results = await lab.results(id);
    const of = (name: string): Partial<HostResultView> | undefined => results.find((each) => each.serverName === name);
    expect(of('early')?.status).toBe('UNREACHABLE');
    // The flood may start before or after the step receives the connection.
    expect(of('early')?.attempts).toBeLessThan(2);
    // No command is sent to a shell that has not answered yet.
    expect(['UNREACHABLE', 'UNKNOWN']).toContain(of('late')?.status);
    for (const result of results) expect(result).toMatchObject({ reason: { code: 'hostile_peer', text: named } });
    expect(hosts).toMatchObject([{ connections: 1 }, { connections: 1 }]);
    expect(statements.all.length).toBeLessThan(400);
  });

  it('is named by a check and by the doctor', async () => {
    const id = servers.get('early') ?? '';
    const check = await lab.api.post<ServerView>(`/api/inventory/servers/${id}/check`);
    expect(check.body.lastCheck).toMatchObject({ state: 'unreachable', reason: { text: named } });
    const diagnosis = await lab.api.post<DiagnosisView>(`/api/inventory/servers/${id}/diagnose`);
    expect(diagnosis.body.steps.find(({ status }) => status === 'failed')).toMatchObject({ message: named });
  });
});
