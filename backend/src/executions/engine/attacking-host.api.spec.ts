import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FloodingHost, startFloodingHost } from '../../../../scripts/lib/flooding-host.mjs';
import { countStatements } from '../../../test/support/counted-statements.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { generateKeyPair } from '../../transport/keys/key-material.js';
import type { DiagnosisView } from '../../inventory/doctor/diagnosis.view.js';
import type { ServerView } from '../../inventory/servers.view.js';
import type { HostResultView } from '../contract/results.view.js';

/** By when the flood begins: before and after a command was sent. */
const FLOODS = { early: 'global requests', late: 'channel requests' };

const named: unknown = expect.stringContaining('Runward ended the connection');

let lab: RunLab;
const hosts: FloodingHost[] = [];
const servers = new Map<string, string>();

beforeAll(async () => {
  lab = await startRunLab();
  for (const [name, kind] of Object.entries(FLOODS)) {
    const { privateKey, publicKey } = await generateKeyPair({ type: 'ed25519', comment: name });
    const host = await startFloodingHost(kind, { privateKey });
    hosts.push(host);
    const { id } = await lab.server({ name, hostname: '127.0.0.1', port: host.port, hostKey: { publicKey } });
    servers.set(name, id);
  }
  await lab.runward.worker({ recoverySeconds: 60 });
});
afterAll(async () => {
  await lab.close();
  await Promise.all(hosts.map((host) => host.stop()));
});

describe('a host that floods its connections', () => {
  it('is named in the result, is connected to once, and other runs go on meanwhile', async () => {
    const step = { command: 'true', idempotent: true, retries: { count: 5, delaySeconds: 1 } };
    const attacked = await lab.plan([step], { targets: 'name in (early, late)' });
    const neighbour = await lab.plan(['echo fine'], { targets: 'name=web-1' });
    const statements = countStatements();
    const runs = [await lab.start(attacked), await lab.start(neighbour)];
    const [ended, beside] = await Promise.all(runs.map(({ id }) => lab.settled(id)));
    statements.stop();
    expect(beside?.status).toBe('SUCCEEDED');
    const results = await lab.results(ended?.id ?? '');
    const of = (name: string): Partial<HostResultView> | undefined => results.find((each) => each.serverName === name);
    expect(of('early')?.status).toBe('UNREACHABLE');
    // The flood may come before or after the connection is handed to the step.
    expect(of('early')?.attempts).toBeLessThan(2);
    // Nothing is sent to a shell that has not answered yet.
    expect(['UNREACHABLE', 'UNKNOWN']).toContain(of('late')?.status);
    for (const result of results) expect(result).toMatchObject({ code: 'hostile_peer', message: named });
    expect(hosts).toMatchObject([{ connections: 1 }, { connections: 1 }]);
    expect(statements.all.length).toBeLessThan(400);
  });

  it('is named by a check and by the doctor', async () => {
    const id = servers.get('early') ?? '';
    const check = await lab.api.post<ServerView>(`/api/inventory/servers/${id}/check`);
    expect(check.body.lastCheck).toMatchObject({ state: 'unreachable', message: named });
    const diagnosis = await lab.api.post<DiagnosisView>(`/api/inventory/servers/${id}/diagnose`);
    expect(diagnosis.body.steps.find(({ state }) => state === 'failed')).toMatchObject({ message: named });
  });
});
