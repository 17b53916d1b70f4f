import { spawnSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { labWorkers } from '../../../test/support/lab-workers.js';
import { type LabServer, type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { ServerFactsView } from '../facts/facts.view.js';

const ARCH = spawnSync('uname', ['-m'], { encoding: 'utf8' }).stdout.trim();

let lab: RunLab;
const { work, endWorkers } = labWorkers(() => lab.runward);

beforeAll(async () => {
  lab = await startRunLab({ hosts: 3 });
});
afterEach(() => endWorkers());
afterAll(() => lab.close());

const PATH = '/api/inventory/servers';
const factsOf = async ({ id }: LabServer) => (await lab.api.get<ServerFactsView>(`${PATH}/${id}/facts`)).body;
const check = async ({ id }: LabServer) => {
  const answer = await lab.api.post(`${PATH}/${id}/check`);
  expect(answer.status).toBe(200);
};
const selected = async (selector: string): Promise<string[]> => {
  const answer = await lab.api.get<{ items: LabServer[] }>(
    `${PATH}?selector=${encodeURIComponent(selector)}&sort=name`,
  );
  expect(answer.status).toBe(200);
  return answer.body.items.map(({ name }) => name);
};
const named = (name: string) => {
  const server = lab.servers.find((each) => each.name === name);
  if (!server) throw new Error(`There is no ${name}.`);
  return server;
};
const tell = (server: LabServer, facts: object) =>
  lab.runward.database.query(`update servers set facts = facts || $2::jsonb where id = $1`, [server.id, facts]);

describe('facts of hosts', () => {
  it('are unknown before a check signed in', async () => {
    const web = named('web-1');
    expect(await factsOf(web)).toEqual({ serverId: web.id, facts: null, factsAt: null, ageSeconds: null });
    const plan = await lab.plan([{ when: 'host.facts.os == "debian"', command: 'true' }]);
    const refused = await lab.tryStart(plan);
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'facts_missing' });
    expect(refused.text).toContain('web-1');
    expect((await lab.tryStart(plan, { execution_mode: 'dry_run' })).body).toMatchObject({ code: 'facts_missing' });
  });

  it('are read with a check, and select servers in lists and runs', async () => {
    for (const server of lab.servers.slice(0, 2)) await check(server);
    const { facts, factsAt, ageSeconds } = await factsOf(named('web-1'));
    expect(facts).toMatchObject({ kernel: 'linux', arch: ARCH, cpus: expect.any(Number), os: expect.any(String) });
    expect(new Date(factsAt ?? '').getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect(ageSeconds).toBeGreaterThanOrEqual(0);
    expect(await selected(`facts.arch in (${ARCH}, none)`)).toEqual(['web-1', 'web-2']);
    expect(await selected('!facts.arch')).toEqual(['web-3']);
    expect(await selected(`facts.arch=${ARCH},role=web`)).toEqual(['web-1', 'web-2']);
    expect(await selected(`facts.cpus=${facts?.cpus}`)).toEqual(['web-1', 'web-2']);

    await tell(named('web-2'), { os: 'alpine' });
    expect(await selected('facts.os=alpine')).toEqual(['web-2']);
    const plan = await lab.plan([{ key: 'one', targets: 'facts.os=alpine', command: 'true' }]);
    const preview = await lab.api.post<{ stepCounts: object }>(`/api/plans/${plan}/targets`, {
      environmentId: lab.environmentId,
    });
    expect(preview.body.stepCounts).toEqual({ one: 1 });
    await work();
    const run = await lab.settled((await lab.start(plan)).id);
    expect(run.status).toBe('SUCCEEDED');
    expect((await lab.results(run.id)).map(({ serverName }) => serverName)).toEqual(['web-2']);
  });

  it('are frozen at the start of a run for conditions and commands', async () => {
    await check(named('web-3'));
    const plan = await lab.plan(
      [
        {
          key: 'alpine',
          when: 'host.facts.os == "alpine"',
          command: 'echo {{ host.facts.os }} on {{ host.facts.arch }}',
        },
        { key: 'large', when: 'host.facts.cpus > 100000', command: 'true' },
        { key: 'snake', when: 'host.facts.pythonVersion == "0"', command: 'true' },
      ],
      { targets: 'name=web-*' },
    );
    const dry = await lab.start(plan, { execution_mode: 'dry_run' });
    await work();
    expect((await lab.settled(dry.id)).status).toBe('SUCCEEDED');
    const predicted = await lab.results(dry.id, 'stepKey=alpine');
    expect(predicted.map(({ serverName, verdict }) => [serverName, verdict])).toEqual([
      ['web-1', 'WOULD_SKIP'],
      ['web-2', expect.stringMatching(/^(WOULD_RUN|CANNOT_PREDICT)$/)],
      ['web-3', 'WOULD_SKIP'],
    ]);
    await endWorkers();

    const run = await lab.start(plan, { expectedDigest: dry.digest });
    // Facts that the host reports later do not change a started run.
    await tell(named('web-2'), { os: 'debian' });
    const changed = await lab.tryStart(plan, { execution_mode: 'dry_run', expectedDigest: dry.digest });
    expect(changed.body).toMatchObject({ code: 'digest_changed' });
    await work();
    const ended = await lab.settled(run.id);
    expect(ended.status).toBe('SUCCEEDED');
    expect(await lab.text(run.id, named('web-2').id, 'alpine')).toBe(`alpine on ${ARCH}\n`);
    const statuses = (await lab.results(run.id)).map(
      ({ serverName, stepKey, status }) => `${serverName} ${stepKey} ${status}`,
    );
    expect(statuses.filter((each) => each.endsWith('SUCCEEDED'))).toEqual(['web-2 alpine SUCCEEDED']);
  });

  it('have fixed names: others are refused when a plan is saved', async () => {
    const save = (step: object) =>
      lab.api.post('/api/plans', {
        name: `facts-${JSON.stringify(step)}`.slice(0, 90),
        steps: [{ key: 'a', name: 'a', command: 'true', ...step }],
      });
    for (const step of [
      { when: 'host.facts.colour == "red"' },
      { when: 'host.facts' },
      { command: 'echo {{ host.facts.diskFreeMb }}' },
      { when: 'host.facts.cpus == "4"' },
      { when: 'host.facts.os == 12' },
    ])
      expect((await save(step)).status).toBe(400);
    for (const step of [{ when: 'host.facts.cpus == 4' }, { when: 'host.facts["os"] == "debian"' }])
      expect((await save(step)).status).toBe(201);
  });

  it('are those of the machine at the current address', async () => {
    const moved = named('web-1');
    expect((await lab.api.patch(`${PATH}/${moved.id}`, { hostname: 'elsewhere.invalid' })).status).toBe(200);
    expect(await factsOf(moved)).toMatchObject({ facts: null, factsAt: null });
    expect(await selected('facts.arch,name=web-1')).toEqual([]);
  });
});

describe('tags whose names begin like facts', () => {
  it('are refused', async () => {
    const answer = await lab.api.patch(`${PATH}/${named('web-2').id}`, { tags: { 'facts.os': 'mine' } });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('prefix for facts of the host');
  });

  it('override the facts where a server has them from before', async () => {
    const server = named('web-2');
    await lab.runward.database.query(`update servers set tags = tags || '{"facts.os": "mine"}' where id = $1`, [
      server.id,
    ]);
    expect(await selected('facts.os=mine')).toEqual(['web-2']);
    expect(await selected('facts.os=debian,name=web-2')).toEqual([]);
    await lab.runward.database.query(`update servers set tags = tags - 'facts.os' where id = $1`, [server.id]);
    expect(await selected('facts.os=debian,name=web-2')).toEqual(['web-2']);
  });
});
