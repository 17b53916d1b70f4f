import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DryLab, startDryLab } from '../../../../test/support/dry-lab.js';
import { generateKeyPair } from '../../../transport/keys/key-material.js';
import type { ExecutionView } from '../../contract/execution.view.js';
import type { HostResultView } from '../../contract/results.view.js';

const SECRET = 'hunter2-hunter2';
const NO_USER = 'runward-absent';

let dry: DryLab;
const touch = (file: string) => `touch ${dry.lab.evidence}/${file}`;

beforeAll(async () => {
  dry = await startDryLab({ ownUser: true });
  await dry.lab.runward.worker();
});
afterAll(() => dry.close());

describe('a dry run of a plan with a missing part', () => {
  const JOB = `- name: imported
  nodefilters: {filter: 'name: one', dispatch: {keepgoing: true}}
  sequence:
    keepgoing: true
    commands:
    - exec: echo \${job.username} || true
      errorhandler: {exec: 'true', keepgoingOnSuccess: true}
    - exec: 'true'
`;

  it('is FAILED, also in a called plan; a real run waits there, and no rerun starts after it', async () => {
    const { environmentId, lab } = dry;
    const content = { content: JOB, format: 'rundeck', environmentId };
    const { body } = await lab.api.post<{ plans: { planId: string }[] }>('/api/plans/import', content);
    const planId = body.plans[0]?.planId ?? '';
    const caller = await dry.plan([{ key: 'call', type: 'plan', planId }], { targets: 'name=one' });
    for (const id of [planId, caller]) {
      const { status, statusReason, steps } = await dry.dryRun(id);
      expect([status, statusReason?.code, steps[0]?.status, steps[1]?.status]).toEqual([
        ...['FAILED', 'blocked', 'FAILED', 'SUCCEEDED'],
      ]);
    }
    const run = await lab.start(caller);
    const paused = await lab.api.get<ExecutionView>(`/api/executions/${run.id}?wait=20&until=settled`);
    expect(paused.body).toMatchObject({ status: 'PAUSED', pause: { reason: 'GATE', stepKey: 'call/step-1' } });
    await lab.api.post(`/api/executions/${run.id}/cancel`, {});
    await lab.api.get(`/api/executions/${run.id}?wait=20&until=finished`);
    const later = { hosts: 'all', fromStepKey: 'call/step-2' };
    for (const snapshot of ['same', 'current']) {
      const again = await lab.api.post<{ errors: object[] }>(`/api/executions/${run.id}/rerun`, { ...later, snapshot });
      expect(again.body).toMatchObject({ status: 400, errors: [{ code: 'left_out_placeholder' }] });
    }
  });
});

describe('a dry run of steps without blockers', () => {
  let run: ExecutionView;
  let cells: Map<string, HostResultView>;
  let before: string[];

  beforeAll(async () => {
    before = await dry.listTraces();
    const { environmentId, lab } = dry;
    await lab.api.put(`/api/environments/${environmentId}/variables/token`, { value: SECRET, secret: true });
    const planId = await dry.plan(
      [
        { key: 'plain', command: touch('plain'), outputs: ['version'] },
        { key: 'reading', command: touch('reading'), readOnly: true },
        { key: 'change', command: touch('change'), check: 'echo "- old"; echo "+ $token"; echo why >&2; exit 1' },
        { key: 'same', command: touch('same'), check: 'echo equal', changedExitCodes: [9] },
        { key: 'odd', command: touch('odd'), check: 'echo broken >&2; exit 2' },
        { key: 'slow', command: touch('slow'), check: 'sleep 300', timeoutSeconds: 1 },
        { key: 'much', command: touch('much'), check: 'yes ä | head -c 1000000; exit 1' },
        { key: 'web-only', command: touch('web'), when: 'host.tags.role == "web"' },
        { key: 'later', command: touch('later'), when: 'steps.plain.changed' },
        { key: 'made', command: 'echo {{ steps.plain.outputs.version }}' },
        { key: 'unless', command: touch('unless'), unless: touch('asked') },
        { key: 'after-plain', command: touch('after'), onlyIfChanged: ['plain'] },
        { key: 'after-same', command: touch('after'), onlyIfChanged: ['same'] },
        { key: 'after-later', command: touch('after'), onlyIfChanged: ['later'] },
        { key: 'up', type: 'wait', port: 1, timeoutSeconds: 20 },
        { key: 'ask', type: 'gate', message: 'Is it night?' },
        { key: 'once', command: touch('once'), runOnce: true, workingDirectory: '/' },
        { key: 'self', command: touch('self'), become: dry.sshd.user, workingDirectory: '/' },
      ],
      { targets: 'name in (one, two)', onFailure: 'stop' },
    );
    run = await dry.dryRun(planId);
    cells = await dry.cells(run.id);
  });

  it.each<[string, string, string, string, string]>([
    ['plain', 'WOULD_RUN', 'SUCCEEDED', 'no_check', 'Its changes are not predicted'],
    ['reading', 'WOULD_RUN', 'SUCCEEDED', 'read_only', 'change nothing'],
    ['change', 'WOULD_CHANGE', 'SUCCEEDED', 'check_would_change', 'The check predicts a change'],
    ['same', 'NO_CHANGE', 'SUCCEEDED', 'check_no_change', 'nothing to change'],
    ['odd', 'CANNOT_PREDICT', 'SUCCEEDED', 'check_failed', 'exit code 2'],
    ['slow', 'CANNOT_PREDICT', 'SUCCEEDED', 'check_timed_out', 'limit of 1 s'],
    ['much', 'WOULD_CHANGE', 'SUCCEEDED', 'check_would_change', 'The check predicts a change'],
    ['later', 'CANNOT_PREDICT', 'SUCCEEDED', 'when_undecided', 'results of earlier steps'],
    ['made', 'CANNOT_PREDICT', 'SUCCEEDED', 'needs_results', 'results of earlier steps'],
    ['unless', 'CANNOT_PREDICT', 'SUCCEEDED', 'unless_undecided', '"unless" decides on the host'],
    ['after-plain', 'WOULD_RUN', 'SUCCEEDED', 'no_check', 'would run'],
    ['after-same', 'WOULD_SKIP', 'SKIPPED', 'not_triggered', '"same" would change nothing here.'],
    ['after-later', 'CANNOT_PREDICT', 'SUCCEEDED', 'trigger_unknown', 'only if "later" changed this host'],
    ['up', 'WOULD_RUN', 'SUCCEEDED', 'waits', 'Waits until port 1 answers on the host, for at most 20 s.'],
    ['self', 'WOULD_RUN', 'SUCCEEDED', 'no_check', 'would run'],
  ])('reports "%s" on each host as %s (%s, %s)', (key, verdict, status, code, words) => {
    for (const name of ['one', 'two']) {
      const cell = cells.get(`${key} ${name}`);
      expect(cell).toMatchObject({ verdict, status, reason: { code } });
      expect(cell?.reason?.text).toContain(words);
    }
  });

  it('evaluates conditions on each host, and skips hosts where they are false', () => {
    expect(cells.get('web-only one')).toMatchObject({ verdict: 'WOULD_RUN', status: 'SUCCEEDED' });
    expect(cells.get('web-only two')).toMatchObject({
      verdict: 'WOULD_SKIP',
      status: 'SKIPPED',
      reason: { code: 'when_false' },
    });
  });

  it('probes only the host that a step would run on once', () => {
    expect([cells.has('once one'), cells.has('once two')]).toEqual([true, false]);
    expect(cells.get('once one')?.verdict).toBe('WOULD_RUN');
  });

  it('shows the output of a check as the diff: masked, and within its limit', () => {
    expect(cells.get('change one')?.diff).toMatch(/^- old\n\+ ‹secret token›\n/);
    expect(cells.get('change one')?.diff).toContain('why\n');
    expect(cells.get('same one')).toMatchObject({ diff: 'equal\n', changed: false, exitCode: 0 });
    expect(cells.get('odd one')?.diff).toBe('broken\n');
    expect(cells.get('plain one')?.diff).toBeNull();
    const much = cells.get('much one')?.diff ?? '';
    expect(Buffer.byteLength(much)).toBeGreaterThan(65_000);
    expect(Buffer.byteLength(much)).toBeLessThanOrEqual(65_536);
    expect(much).toMatch(/ä\n+… The rest is left out\.\n$/);
    expect(JSON.stringify([...cells.values()])).not.toContain(SECRET);
  });

  it('is SUCCEEDED, never waits for a person, and counts the steps', () => {
    expect(run).toMatchObject({ status: 'SUCCEEDED', successful: true, pause: null, execution_mode: 'dry_run' });
    const statuses = Object.fromEntries(run.steps.map(({ key, status }) => [key, status]));
    expect(statuses).toMatchObject({ plain: 'SUCCEEDED', 'after-same': 'SKIPPED', ask: 'SKIPPED' });
  });

  it('stores no output besides diffs, and sends verdicts to followers', async () => {
    expect(await dry.lab.lines(run.id)).toEqual([]);
    const rows = await dry.lab.runward.database.query<{ data: { verdict?: string } }>(
      `select data from execution_events where execution_id = $1 and type = 'host.finished'`,
      [run.id],
    );
    expect(new Set(rows.map(({ data }) => data.verdict))).toContain('WOULD_CHANGE');
  });

  it('leaves no trace on any host', async () => {
    expect(await dry.listTraces()).toEqual(before);
  });
});

describe('a dry run of steps with blockers', () => {
  it('is FAILED with the blocker of each step, and still predicts all steps', async () => {
    const before = await dry.listTraces();
    const planId = await dry.plan(
      [
        { key: 'folder', command: touch('folder'), workingDirectory: '/no/such', check: touch('checked') },
        { key: 'become', command: touch('become'), become: NO_USER, check: touch('checked') },
        { key: 'tag', command: 'echo {{ host.tags.flavour }}', check: touch('checked') },
        { key: 'later', command: touch('later'), workingDirectory: '/no/such' },
        { key: 'fine', command: touch('fine') },
      ],
      { targets: 'name=two' },
    );
    const run = await dry.dryRun(planId);
    expect(run).toMatchObject({ status: 'FAILED', successful: false, statusReason: { code: 'blocked' } });
    const cells = await dry.cells(run.id);
    for (const [key, code, words] of [
      ['become', 'no_sudo_right', `may not run commands as ${NO_USER} on this host. sudo says: "`],
      ['folder', 'working_directory_missing', 'The working directory /no/such does not exist'],
      ['tag', 'cannot_render', 'flavour'],
    ]) {
      expect(cells.get(`${key} two`)).toMatchObject({ verdict: 'BLOCKED', status: 'FAILED', reason: { code } });
      expect(cells.get(`${key} two`)?.reason?.text).toContain(words);
    }
    expect(cells.get('later two')).toMatchObject({
      verdict: 'CANNOT_PREDICT',
      reason: { code: 'working_directory_missing' },
    });
    expect(cells.get('fine two')).toMatchObject({ verdict: 'WOULD_RUN', status: 'SUCCEEDED' });
    expect(await dry.listTraces()).toEqual(before);
  });

  it('blocks every step of an unusable host with the reason, and still probes other hosts', async () => {
    const stranger = await generateKeyPair({ type: 'ed25519', comment: 'stranger' });
    const { body: key } = await dry.lab.api.post<{ id: string }>('/api/ssh-keys', {
      name: 'stranger',
      privateKey: stranger.privateKey,
    });
    const tags = { role: 'trouble' };
    await dry.server('closed', { port: 1, tags });
    await dry.server('changed', { hostname: '127.0.2.3', hostKey: { publicKey: stranger.publicKey }, tags });
    await dry.server('unpinned', { hostname: '127.0.2.4', hostKey: undefined, tags });
    await dry.server('refusing', { hostname: '127.0.2.5', sshKeyId: key.id, tags });
    await dry.server('well', { hostname: '127.0.2.6', tags });
    const planId = await dry.plan(
      [
        { key: 'first', command: touch('first') },
        { key: 'second', command: touch('second'), check: touch('checked'), when: 'steps.first.changed' },
      ],
      { targets: 'role=trouble' },
    );
    const run = await dry.dryRun(planId);
    expect(run).toMatchObject({ status: 'FAILED', steps: [{ status: 'FAILED' }, { status: 'FAILED' }] });
    expect(run.steps[0]?.counts).toEqual({ UNREACHABLE: 2, HOST_KEY_UNKNOWN: 1, HOST_KEY_CHANGED: 1, SUCCEEDED: 1 });
    const cells = await dry.cells(run.id);
    for (const step of ['first', 'second'])
      for (const [name, status, code] of [
        ['closed', 'UNREACHABLE', 'connection_refused'],
        ['changed', 'HOST_KEY_CHANGED', 'host_key_changed'],
        ['unpinned', 'HOST_KEY_UNKNOWN', 'host_key_unknown'],
        ['refusing', 'UNREACHABLE', 'login_refused'],
      ]) {
        const cell = cells.get(`${step} ${name}`);
        expect(cell).toMatchObject({ verdict: 'BLOCKED', status, reason: { code } });
        expect(cell?.reason?.text).toMatch(/\.$/);
      }
    expect(cells.get('first well')?.verdict).toBe('WOULD_RUN');
    expect(cells.get('second well')?.verdict).toBe('CANNOT_PREDICT');
  });
});

describe('a host that a dry run probes', () => {
  it('is connected to once and probed with one command for all steps of the run', async () => {
    const steps = ['a', 'b', 'c'].map((key) => ({ key, command: touch(key), workingDirectory: `/no/such/${key}` }));
    const planId = await dry.plan(steps, { targets: 'name=one' });
    await dry.countLogged('');
    await dry.dryRun(planId);
    expect(await dry.countLogged('Starting session: command')).toBe(1);
    await dry.dryRun(planId);
    expect(await dry.countLogged('Accepted publickey')).toBe(1);
  });

  it('is not connected to for steps that are skipped whatever it answers', async () => {
    const planId = await dry.plan([{ key: 'a', command: 'true', when: 'host.name == "two"' }], { targets: 'name=one' });
    await dry.countLogged('');
    const run = await dry.dryRun(planId);
    expect((await dry.cells(run.id)).get('a one')?.verdict).toBe('WOULD_SKIP');
    expect(await dry.countLogged('Accepted publickey')).toBe(0);
  });
});
