import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { ExecutionListView, ExecutionView } from '../contract/execution.view.js';
import type { HostResultListView } from '../contract/results.view.js';

const SHELL_SPECIALS = `it's "quoted" $HOME \`id\` \\ ; echo pwned`;
/** Delays one host, to detect a step that starts too early. */
const SLOW_ON_ONE = 'case "$SSH_CONNECTION" in *" 127.0.1.3 "*) sleep 1;; esac';

let lab: RunLab;
let run: ExecutionView;

const resultLines = (items: HostResultListView['items']) =>
  items.map((each) => `${each.stepKey} ${each.serverName} ${each.status}`);

beforeAll(async () => {
  lab = await startRunLab({ hosts: 3 });
  await lab.runward.worker();
  const planId = await lab.plan(
    [
      {
        key: 'all',
        command: `echo first >> ${lab.evidence}/order; ${SLOW_ON_ONE}; printf '%s\\n' {{ note }}; echo first-end >> ${lab.evidence}/order`,
      },
      {
        key: 'web',
        command: `echo second >> ${lab.evidence}/order; printf '%s' "$note" >&2; printf '%s,' {{ items }} "$count"`,
        targets: 'role=web',
      },
      { key: 'none', command: 'echo never', targets: 'role=nothing' },
    ],
    {
      variables: [
        { name: 'note', type: 'string', required: true },
        { name: 'items', type: 'list', default: ['a b', 'c'] },
        { name: 'count', type: 'integer', default: 3 },
      ],
    },
  );
  const started = await lab.start(planId, { variables: { note: SHELL_SPECIALS }, note: 'why not' });
  run = await lab.settled(started.id);
});
afterAll(() => lab.close());

describe('a run on several hosts', () => {
  it('keeps the source of each value', () => {
    expect(run.variableSources).toEqual({ note: 'start', items: 'plan', count: 'plan' });
  });

  it('ends SUCCEEDED with each step and the counts of its hosts', () => {
    expect(run).toMatchObject({
      status: 'SUCCEEDED',
      finished: true,
      successful: true,
      statusReason: null,
      hostCount: 3,
      note: 'why not',
    });
    expect(run.steps.map(({ key, status, counts }) => [key, status, counts])).toEqual([
      ['all', 'SUCCEEDED', { SUCCEEDED: 3 }],
      ['web', 'SUCCEEDED', { SUCCEEDED: 2 }],
      ['none', 'SKIPPED', {}],
    ]);
    expect(run.steps[2]?.reason).toEqual({
      code: 'no_targets',
      text: 'No host of the run matches the targets of this step.',
    });
  });

  it('lists the steps that target each host', () => {
    expect(run.hosts.map(({ name, targetedBy }) => [name, targetedBy])).toEqual([
      ['web-1', ['all', 'web']],
      ['web-2', ['all', 'web']],
      ['web-3', ['all']],
    ]);
  });

  it('shows who started it and how, the digest, and ordered timestamps', () => {
    expect(run.startedBy.id).toBe(lab.admin.userId);
    expect(run).toMatchObject({
      startedVia: 'token',
      execution_mode: 'auto',
      planRevision: 1,
      environmentName: 'lab',
      pause: null,
      approval: null,
    });
    expect(lab.admin.token.startsWith(run.tokenPrefix ?? '-')).toBe(true);
    expect(run.digest).toMatch(/^[0-9a-f]{64}$/);
    const times = [
      run.createdAt,
      run.startedAt,
      run.steps[0]?.startedAt,
      run.steps[0]?.finishedAt,
      run.steps[1]?.finishedAt,
      run.finishedAt,
    ];
    expect(times).not.toContain(null);
    expect([...times].sort()).toEqual(times);
  });

  it('lists each host with its address, status and last step', () => {
    const port = lab.hosts.sshd.port;
    expect(run.hosts.map(({ name, address, status, lastStepKey }) => [name, address, status, lastStepKey])).toEqual([
      ['web-1', `127.0.1.1:${port}`, 'SUCCEEDED', 'web'],
      ['web-2', `127.0.1.2:${port}`, 'SUCCEEDED', 'web'],
      ['web-3', `127.0.1.3:${port}`, 'SUCCEEDED', 'all'],
    ]);
    expect(run.hostsNextCursor).toBeNull();
  });

  it('begins a step only when the previous step has ended on every host', async () => {
    const order = (await lab.left('order')).trim().split('\n');
    expect(order.filter((line) => line === 'first-end')).toHaveLength(3);
    expect(order.slice(-2)).toEqual(['second', 'second']);
  });

  it('passes variables to the command quoted and in its environment, byte for byte', async () => {
    const [first] = lab.servers;
    expect(await lab.text(run.id, first?.id ?? '', 'all')).toBe(`${SHELL_SPECIALS}\n`);
    const web = await lab.lines(run.id, `stepKey=web&serverId=${first?.id}`);
    expect(web.find((line) => line.stream === 'stderr')?.text).toBe(SHELL_SPECIALS);
    expect(web.find((line) => line.stream === 'stdout')?.text).toBe('a b,c,3,');
    expect(run.variables).toEqual({ note: SHELL_SPECIALS, items: ['a b', 'c'], count: 3 });
  });

  it('links to itself, its results, output and stream', async () => {
    expect(run.links.self).toBe(`/api/executions/${run.id}`);
    for (const link of Object.values<string>({ ...run.links })) expect((await lab.api.get(link)).status).toBe(200);
  });

  it('has the same digest for an identical start and another digest for another value', async () => {
    const again = await lab.settled((await lab.start(run.planId, { variables: { note: SHELL_SPECIALS } })).id);
    const other = await lab.settled((await lab.start(run.planId, { variables: { note: 'other' } })).id);
    expect(again.digest).toBe(run.digest);
    expect(other.digest).not.toBe(run.digest);
  });
});

describe('results', () => {
  it('are in the order of steps and hosts, with exit code, attempts and output size', async () => {
    const items = await lab.results(run.id);
    expect(resultLines(items)).toEqual([
      'all web-1 SUCCEEDED',
      'all web-2 SUCCEEDED',
      'all web-3 SUCCEEDED',
      'web web-1 SUCCEEDED',
      'web web-2 SUCCEEDED',
    ]);
    expect(items[0]).toMatchObject({
      exitCode: 0,
      signal: null,
      attempts: 1,
      reason: null,
      outputLines: 1,
      outputBytes: Buffer.byteLength(SHELL_SPECIALS) + 1,
      droppedLines: 0,
      droppedBytes: 0,
    });
    expect(Date.parse(items[0]?.finishedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(items[0]?.startedAt ?? ''));
  });

  it('are filtered by step, server and status, and paged without gaps or duplicates', async () => {
    const [, second, third] = lab.servers;
    expect(resultLines(await lab.results(run.id, 'stepKey=web'))).toEqual([
      'web web-1 SUCCEEDED',
      'web web-2 SUCCEEDED',
    ]);
    expect(resultLines(await lab.results(run.id, `serverId=${third?.id}`))).toEqual(['all web-3 SUCCEEDED']);
    expect(
      resultLines(await lab.results(run.id, `serverId=${second?.id}&stepKey=web&status=SUCCEEDED&status=FAILED`)),
    ).toEqual(['web web-2 SUCCEEDED']);
    expect(await lab.results(run.id, 'status=FAILED')).toEqual([]);
    const pages: string[][] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body }: { body: HostResultListView } = await lab.api.get<HostResultListView>(
        `/api/executions/${run.id}/results?limit=2${cursor ? `&cursor=${cursor}` : ''}`,
      );
      pages.push(resultLines(body.items));
      cursor = body.nextCursor;
    }
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(resultLines(await lab.results(run.id)));
  });

  it('reject an invalid cursor, status or parameter', async () => {
    for (const query of ['cursor=x', 'status=DONE', 'hostId=1', 'limit=0', 'limit=201']) {
      expect((await lab.api.get(`/api/executions/${run.id}/results?${query}`)).status).toBe(400);
    }
  });
});

describe('the list of runs', () => {
  let failed: ExecutionView;
  let elsewhere: ExecutionView;
  const list = async (query = '') =>
    (await lab.api.get<ExecutionListView>(`/api/executions?limit=200&${query}`)).body.items.map(({ id }) => id);

  beforeAll(async () => {
    failed = await lab.run(['exit 3'], { targets: 'name=web-2' });
    const environmentId = await lab.environment('elsewhere');
    await lab.server({ environmentId, hostname: '127.0.1.1' });
    elsewhere = await lab.run(['true'], { start: { environmentId } });
  });

  it('is sorted newest first', async () => {
    const all = await list();
    expect(all.slice(0, 2)).toEqual([elsewhere.id, failed.id]);
    expect(all.at(-1)).toBe(run.id);
  });

  it('is filtered by plan, environment, server, mode, starter and status', async () => {
    expect(await list(`planId=${failed.planId}`)).toEqual([failed.id]);
    expect(await list(`environmentId=${elsewhere.environmentId}`)).toEqual([elsewhere.id]);
    expect(await list('status=FAILED')).toEqual([failed.id]);
    expect(await list('status=FAILED&status=CANCELLED')).toEqual([failed.id]);
    expect(await list(`serverId=${lab.servers[1]?.id}&status=FAILED`)).toEqual([failed.id]);
    expect(await list(`serverId=${lab.servers[2]?.id}`)).not.toContain(failed.id);
    expect((await list(`startedById=${lab.admin.userId}&execution_mode=auto`)).length).toBe(5);
    expect(await list(`startedById=${lab.environmentId}`)).toEqual([]);
  });

  it('is filtered by start time, from inclusive, to exclusive', async () => {
    expect(await list(`from=${failed.createdAt}`)).toEqual([elsewhere.id, failed.id]);
    expect(await list(`to=${failed.createdAt}`)).not.toContain(failed.id);
    expect(await list(`from=${failed.createdAt}&to=${elsewhere.createdAt}`)).toEqual([failed.id]);
    expect((await lab.api.get('/api/executions?from=yesterday')).status).toBe(400);
  });

  it('contains each run once across pages', async () => {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body }: { body: ExecutionListView } = await lab.api.get<ExecutionListView>(
        `/api/executions?limit=2${cursor ? `&cursor=${cursor}` : ''}`,
      );
      expect(body.items.length).toBeLessThanOrEqual(2);
      seen.push(...body.items.map(({ id }) => id));
      cursor = body.nextCursor;
    }
    expect(seen).toEqual(await list());
  });
});
