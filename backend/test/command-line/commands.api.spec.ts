import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ExecutionView } from '../../src/executions/contract/execution.view.js';
import { type CommandLine, commandLine } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import { overdue } from '../support/paused-run.js';
import { type RunLab, startRunLab } from '../support/run-lab.js';
import { openServiceGate } from '../support/service-gate.js';

let lab: RunLab;
let cli: CommandLine;
let guarded: string;

const plan = async (name: string, command: string, more: object = {}): Promise<string> => {
  const steps = [{ key: 'one', command }];
  const answer = await lab.api.post<{ id: string }>('/api/plans', {
    name,
    environmentId: lab.environmentId,
    steps,
    ...more,
  });
  expect([name, answer.status]).toEqual([name, 201]);
  return answer.body.id;
};
const run = (...args: string[]) => cli.run(args);
const json = async (...args: string[]) => {
  const { code, out, err } = await cli.run([...args, '--json']);
  return {
    code,
    body: (out ? JSON.parse(out) : null) as ExecutionView,
    problem: (err ? JSON.parse(err) : null) as { code: string } | null,
  };
};

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2, spare: 3 });
  cli = await commandLine({ RUNWARD_URL: lab.runward.url, RUNWARD_TOKEN: lab.admin.token });
  const { body } = await lab.api.post<{ id: string }>('/api/environments', {
    ...{ name: 'prod', protected: true, allowSelfApproval: true },
  });
  guarded = body.id;
  await lab.server({ name: 'gate-1', hostname: lab.spare[0], environmentId: guarded });
  const alone = await lab.environment('alone');
  await lab.server({ name: 'lone', hostname: lab.spare[1], environmentId: alone });
  await plan('ok', 'echo "hello from $(hostname)"');
  await plan('bad', 'echo "what went wrong" >&2; exit 3');
  await plan('half', `mkdir ${lab.evidence}/only-once`, { maxFailPercent: 50 });
  await plan('slow', 'sleep 60', { variables: [{ name: 'COUNT', type: 'integer' }] });
  await plan('Guarded', 'echo admitted', { environmentId: guarded });
  // The command kills itself and the supervisor, which would report its exit status.
  await plan('vanish', 'kill -9 $PPID $$', { environmentId: alone });
  await lab.runward.worker();
});
afterAll(async () => {
  await cli.close();
  await lab.close();
});

describe('run start --wait', () => {
  it.each([
    ['ok', 'SUCCEEDED', 0],
    ['bad', 'FAILED', 1],
    ['half', 'PARTIALLY_SUCCEEDED', 3],
  ])('reports the result of the plan %s as %s and exits with %s', async (name, status, code) => {
    const waited = await run('run', 'start', name, '--wait', '--label', `plan=${name}`);
    expect([waited.code, waited.out]).toEqual([code, expect.stringContaining(status)]);
    expect(waited.out).toContain('/executions/');
    const listed = await json('run', 'list', '--label', `plan=${name}`);
    expect(listed.body).toMatchObject({ items: [{ status, labels: { plan: name } }], nextCursor: null });
  });

  it('prints the first failure and its last lines', async () => {
    const { out } = await run('run', 'start', 'bad', '--wait', '--targets', 'name=web-2');
    expect(out).toMatch(/First failure: web-2 in one: FAILED, exit code 3/);
    expect(out).toContain('| what went wrong');
  });

  it('exits with 4 at an approval, and waits for the decision with --on-pause=wait', async () => {
    const paused = await json('run', 'start', 'guarded', '--wait');
    expect([paused.code, paused.body.status, paused.problem]).toEqual([4, 'PAUSED', null]);
    const { id, digest } = paused.body;
    const shown = await run('run', 'show', id.slice(-8));
    expect([shown.code, shown.out]).toEqual([
      0,
      expect.stringContaining(`runward run approve ${id} --digest ${digest}`),
    ]);
    const waiting = cli.launch(['run', 'follow', id, '--on-pause', 'wait']);
    await eventually('it reports the approval', () => waiting.printed().err.includes('waits for approval'));
    const wrong = await json('run', 'approve', id, '--digest', '0'.repeat(64));
    expect([wrong.code, wrong.problem?.code]).toEqual([6, 'digest_changed']);
    expect((await run('run', 'approve', id)).code).toBe(2);
    expect((await run('run', 'approve', id, '--digest', digest, '--comment', 'reviewed')).code).toBe(0);
    expect(await waiting.ended).toMatchObject({ code: 0, out: expect.stringContaining('gate-1 | admitted') });
  });

  it('exits with 5 on a rejection', async () => {
    const waiting = cli.launch(['run', 'start', 'Guarded', '--wait', '--on-pause=wait', '--json']);
    const id = await eventually('it waits', async () => {
      const { body } = await lab.api.get<{ items: ExecutionView[] }>(
        `/api/executions?environmentId=${guarded}&status=PAUSED`,
      );
      return body.items[0]?.id;
    });
    expect((await run('run', 'reject', id, '--comment', 'not today')).code).toBe(0);
    const ended = await waiting.ended;
    expect([ended.code, (JSON.parse(ended.out) as ExecutionView).status, ended.err]).toEqual([5, 'REJECTED', '']);
  });

  it('exits with 5 when the approval expires', async () => {
    const waiting = cli.launch(['run', 'start', 'Guarded', '--wait', '--on-pause=wait', '--json']);
    const id = await eventually('it waits', async () => {
      const { body } = await lab.api.get<{ items: ExecutionView[] }>(
        `/api/executions?environmentId=${guarded}&status=PAUSED`,
      );
      return body.items[0]?.id;
    });
    await overdue(lab, id);
    const ended = await waiting.ended;
    expect([ended.code, (JSON.parse(ended.out) as ExecutionView).status, ended.err]).toEqual([5, 'EXPIRED', '']);
    const followed = await run('run', 'follow', id);
    expect([followed.code, followed.out]).toEqual([5, expect.stringContaining('EXPIRED')]);
  });

  it('exits with 6 on a conflicting run, and with 7 when --timeout ends the wait for it', async () => {
    const first = await json('run', 'start', 'slow', '--var', 'COUNT=3', '--wait', '--timeout', '1s');
    expect([first.code, first.body.finished, first.body.variables]).toEqual([7, false, { COUNT: 3 }]);
    const second = await run('run', 'start', 'ok', '--wait');
    expect([second.code, second.err]).toEqual([
      6,
      expect.stringContaining(`Conflicting run: ${first.body.id} of slow`),
    ]);
    const third = await json('run', 'start', 'ok', '--wait');
    expect([third.code, third.body, third.problem?.code]).toEqual([6, null, 'run_overlap']);
    const following = cli.launch(['run', 'follow', first.body.id]);
    const cancelled = await json('run', 'cancel', first.body.id, '--reason', 'enough');
    expect([cancelled.code, cancelled.body.id]).toEqual([0, first.body.id]);
    expect(await following.ended).toMatchObject({ code: 1, out: expect.stringContaining('CANCELLED') });
    expect((await json('run', 'cancel', first.body.id)).problem?.code).toBe('already_finished');
  });

  it('exits with 6 while its collection is frozen', async () => {
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const made = await lab.api.post<{ id: string }>('/api/collections', {
      name: 'holidays',
      freeze: { reason: 'Release freeze', until },
    });
    await plan('frozen', 'true', { collectionId: made.body.id });
    const refused = await run('run', 'start', 'frozen', '--wait');
    expect([refused.code, refused.err]).toEqual([6, expect.stringContaining('Release freeze')]);
  });

  it('exits with 7 on a host with an unknown result', async () => {
    const followed = await run('run', 'start', 'vanish', '--follow');
    expect([followed.code, followed.out]).toEqual([7, expect.stringContaining('Unknown result: one on lone')]);
  });

  it('writes a JUnit report, outputs and a summary', async () => {
    const files = ['report.xml', 'outputs', 'summary.md'];
    const [junit = '', outputs = '', markdown = ''] = files;
    const args = ['--junit', junit, '--outputs', outputs, '--markdown', markdown];
    const { code } = await run('run', 'start', 'bad', '--follow', ...args);
    expect(code).toBe(1);
    const texts = await Promise.all(files.map((file) => readFile(path.join(cli.home, file), 'utf8')));
    expect(texts[0]).toContain('<testsuites');
    expect(texts[0]?.match(/<failure/g)).toHaveLength(2);
    expect(texts[1]).toMatch(
      /^run_id=[0-9a-f-]{36}\nstatus=FAILED\nurl=http\S+\ndigest=[0-9a-f]{64}\nexit_code=1\nhosts=2\n$/,
    );
    expect(texts[2]).toContain('| Status | **FAILED** |');
  });

  it.each(['--junit', '--outputs', '--markdown'])(
    'starts nothing if the file of %s cannot be written',
    async (option) => {
      const count = async () => (await lab.api.get<{ items: object[] }>('/api/executions?limit=200')).body.items.length;
      const before = await count();
      for (const file of ['no/such/folder/x', '.'])
        expect(await run('run', 'start', 'ok', '--wait', option, file)).toMatchObject({
          code: 2,
          err: expect.stringContaining(`${file} cannot be written`),
        });
      expect(await count()).toBe(before);
    },
  );

  it('exits with the code of the run when the expression of --jq fails after it', async () => {
    const failed = await run('run', 'start', 'bad', '--wait', '--jq', '.id.name');
    expect([failed.code, failed.out, failed.err]).toEqual([1, '', expect.stringContaining('Cannot index string')]);
  });

  it('exits with the code of the run when a report fails after it', async () => {
    const reports = ['--junit', '/dev/full', '--outputs', '/dev/full', '--markdown', '/dev/full'];
    const failed = await run('run', 'start', 'bad', '--wait', ...reports);
    expect(failed).toMatchObject({ code: 1, out: expect.stringContaining('FAILED') });
    expect(failed.err.match(/\/dev\/full cannot be written: the disk is full/g)).toHaveLength(3);
  });
});

describe('a dry run and the run that it predicted', () => {
  it('have the same digest; another digest exits with 6', async () => {
    const dry = await json('run', 'start', 'ok', '--dry-run', '--wait');
    expect([dry.code, dry.body.execution_mode]).toEqual([0, 'dry_run']);
    const started = await json('run', 'start', 'ok', '--expect', dry.body.digest, '--wait');
    expect([started.code, started.body.digest]).toEqual([0, dry.body.digest]);
    const other = await run('run', 'start', 'ok', '--expect', dry.body.digest, '--targets', 'name=web-1');
    expect([other.code, other.err]).toEqual([6, expect.stringContaining('host web-2: removed')]);
  });
});

describe('the output of a run', () => {
  it('is printed with host names, and as text, by host or as JSON', async () => {
    const followed = await run('run', 'start', 'ok', '--follow', '--json');
    const lines = followed.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; data: ExecutionView });
    expect(lines.at(-1)).toMatchObject({ type: 'run', data: { status: 'SUCCEEDED' } });
    const id = lines.at(-1)?.data.id ?? '';
    expect((await run('run', 'follow', id)).out).toMatch(/^web-1 \| hello from /m);
    expect((await run('run', 'output', id, '--host', 'web-2', '--raw')).out).toMatch(/^web-2 one 1: hello from \S+\n$/);
    const items = (await run('run', 'output', id, '--json')).out.trim().split('\n');
    expect(items.map((item) => (JSON.parse(item) as { serverName: string }).serverName).sort()).toEqual([
      'web-1',
      'web-2',
    ]);
    const output = (await run('run', 'output', id)).out;
    expect(output).toMatch(/^== one\n(?:web-[12] \| hello from \S+\n){2}$/);
    const unknown = await run('run', 'output', id, '--host', 'web-3');
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('Did you mean web-1 or web-2?')]);
  });

  it('is complete and in order despite lost connections and an outage', async () => {
    const count = 300;
    await plan('counting', `for n in $(seq ${count}); do echo "line $n"; [ $((n % 10)) = 0 ] && sleep 0.1; done; true`);
    const gate = await openServiceGate();
    await gate.forwardTo(lab.runward.url);
    const following = cli.launch(['run', 'start', 'counting', '--follow', '--targets', 'name=web-1'], {
      env: { RUNWARD_URL: gate.url },
    });
    const lines = () =>
      following
        .printed()
        .out.split('\n')
        .filter((line) => line.startsWith('web-1 | '));
    for (const seen of [20, 90, 160]) {
      await eventually(`${seen} lines came`, () => lines().length >= seen);
      gate.cut();
    }
    await gate.forwardTo(null);
    await eventually('it says so', () => following.printed().err.includes('Trying again'));
    await gate.forwardTo(lab.runward.url);
    const { code } = await following.ended;
    await gate.close();
    expect([code, lines()]).toEqual([0, Array.from({ length: count }, (_, index) => `web-1 | line ${index + 1}`)]);
  });

  it('is printed without terminal control codes, and without colours if standard output is not a terminal', async () => {
    await plan('hostile', String.raw`printf '\033]0;owned\007\033[31mred\033[0m \233 %s\n' "$(printf '\342\200\256')"`);
    const { out } = await run('run', 'start', 'hostile', '--follow', '--targets', 'name=web-1');
    expect(out).toContain('web-1 | ␛]0;owned␇red ');
    // eslint-disable-next-line no-control-regex
    expect(out).not.toMatch(/[\x1b\x07\x80-\x9f\u202e]/);
  });
});

describe('a rerun and a decision', () => {
  it('repeat a run, and answer a paused run', async () => {
    const failed = await json('run', 'start', 'bad', '--wait', '--targets', 'name=web-1');
    const again = await json('run', 'rerun', failed.body.id, '--hosts', 'failed', '--snapshot', 'same', '--wait');
    expect([again.code, again.body.parentId]).toEqual([1, failed.body.id]);
    const paused = await json('run', 'start', 'ok', '--mode', 'interactive', '--wait');
    expect([paused.code, paused.body.pause?.reason]).toEqual([4, 'STEP_CONFIRM']);
    expect((await run('run', 'decide', paused.body.id, 'proceed')).code).toBe(0);
    const followed = await run('run', 'follow', paused.body.id);
    expect(followed.code).toBe(0);
    // No event would ever follow the ID 9999.
    expect((await run('run', 'follow', paused.body.id, '--after', '9999')).code).toBe(2);
    const late = await json('run', 'decide', paused.body.id, 'proceed');
    expect([late.code, late.problem?.code]).toEqual([6, 'not_waiting']);
  });
});

describe('steering a run', () => {
  it('queues, starts later, switches the mode, pauses and keeps runs', async () => {
    const first = (await json('run', 'start', 'slow', '--var', 'COUNT=1', '--mode', 'interactive')).body.id;
    await eventually('it waits before its step', async () => (await lab.get(first)).status === 'PAUSED');
    const queue = ['--on-overlap', 'queue', '--queue-timeout', '1h'];
    const queued = (await json('run', 'start', 'ok', ...queue)).body;
    expect(queued).toMatchObject({ status: 'PENDING', onOverlap: 'queue', queue: expect.anything() });
    expect((await json('run', 'mode', first, 'auto')).body).toMatchObject({ execution_mode: 'auto' });
    expect((await run('run', 'decide', first, 'proceed')).code).toBe(0);
    await eventually('it runs', async () => (await lab.get(first)).status === 'RUNNING');
    expect((await json('run', 'pause', first)).body.pauseRequestedBy).not.toBeNull();
    for (const id of [queued.id, first]) expect((await run('run', 'cancel', id)).code).toBe(0);
    await lab.settled(first);

    const later = (await json('run', 'start', 'ok', '--start-at', '2h')).body;
    expect(Date.parse(later.startAt ?? '') - Date.now()).toBeGreaterThan(7_000_000);
    expect((await run('run', 'cancel', later.id)).code).toBe(0);
    expect((await json('run', 'pin', first, '--note', 'evidence')).body.pin).toMatchObject({ note: 'evidence' });
    expect((await json('run', 'pin', first, '--remove')).body.pin).toBeNull();
  });

  it('withdraws an approval while the run waits for another one', async () => {
    const policy = { protected: true, requiredApprovals: 2, allowSelfApproval: true };
    const { body } = await lab.api.post<{ id: string }>('/api/environments', { name: 'two', ...policy });
    await lab.server({ name: 'two-1', hostname: lab.spare[2], environmentId: body.id });
    await plan('by two', 'true', { environmentId: body.id });
    const { id, digest } = (await json('run', 'start', 'by two')).body;
    expect((await run('run', 'approve', id, '--digest', digest)).code).toBe(0);
    expect((await json('run', 'withdraw', id)).body).toMatchObject({ approval: { state: 'pending', decisions: [] } });
    expect((await run('run', 'cancel', id)).code).toBe(0);
  });

  it('resolves the unknown result of a host', async () => {
    const { items } = (await json('run', 'list', '--plan', 'vanish')).body as unknown as { items: ExecutionView[] };
    const body = items[0] as ExecutionView;
    const resolved = await json('run', 'resolve', body.id, 'lone', 'mark_failed', '--comment', 'checked');
    expect([resolved.code, resolved.body.unknownHosts]).toEqual([0, []]);
    const again = await json('run', 'resolve', body.id, 'lone', 'mark_failed');
    expect([again.code, again.problem?.code]).toEqual([6, 'not_unknown']);
  });

  it.each([
    [['--queue-timeout', '1h'], 'needs --on-overlap queue'],
    [['--start-at', 'tomorrow'], 'is not a time'],
    [['--start-at', '2026-12-01T02:00:00'], 'with its zone'],
  ])('refuses %j before it starts anything', async (args, text) => {
    expect(await run('run', 'start', 'ok', ...args)).toMatchObject({ code: 2, err: expect.stringContaining(text) });
  });
});

describe('other commands', () => {
  it('print the current member, lists and records', async () => {
    expect((await run('whoami')).out).toMatch(/Role +admin/);
    expect((await run('plan', 'list')).out).toMatch(/^Guarded +1 /m);
    expect((await run('plan', 'show', 'slow')).out).toMatch(/^COUNT +integer +no/m);
    expect((await run('run', 'list', '--plan', 'slow', '--env', 'lab', '--status', 'cancelled')).out).toMatch(
      / CANCELLED /,
    );
    expect((await run('server', 'list', '--env', 'lab', '--selector', 'role=web')).out).toMatch(/^web-1 /m);
  });

  it('list and show environments, keys, schedules, tokens and audit entries', async () => {
    const nightly = { name: 'nightly', cron: '0 3 * * *', timeZone: 'Europe/Berlin', execution_mode: 'auto' };
    const planId = (await run('plan', 'show', 'ok', '--jq', '.id')).out.trim();
    const made = await lab.api.post('/api/schedules', { ...nightly, planId });
    expect(made.status).toBe(201);
    expect((await run('environment', 'list', '-o', 'name')).out.split('\n')).toContain('prod');
    const { id } = (await json('environment', 'show', 'prod')).body;
    expect((await run('environment', 'show', id.slice(-8))).out).toMatch(/^Protected +yes, 1 approvals needed$/m);
    expect((await run('key', 'list', '-o', 'wide')).out).toMatch(/^lab .* SHA256:/m);
    expect((await run('key', 'show', 'lab', '-o', 'yaml')).out).toContain('name: lab\n');
    expect((await run('schedule', 'show', 'nightly')).out).toMatch(/^Times +0 3 \* \* \* \(Europe\/Berlin\)$/m);
    expect((await run('schedule', 'list')).out).toMatch(/^nightly +ok +lab .* in \d+ (?:s|min|h) +yes$/m);
    const token = (await run('token', 'list', '-o', 'name')).out.split('\n')[0] ?? '';
    expect((await run('token', 'show', token)).out).toMatch(/^State +valid$/m);
    const entry = (await run('audit', 'list', '--action', 'schedule.create', '--from', '1h', '-o', 'name')).out.trim();
    expect((await run('audit', 'show', entry)).out).toMatch(/^Resource +schedule nightly /m);
  });

  it('send any request, with fields, all pages and the problem of a refusal', async () => {
    const made = await json('api', 'post', '/environments', '-f', 'name=by api', '-F', 'hostJournal=false');
    expect(made).toMatchObject({ code: 0, body: { name: 'by api', hostJournal: false } });
    const listed = await run('api', 'GET', '/api/environments', '--paginate', '-f', 'limit=1');
    const names = listed.out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { name: string }).name);
    expect([listed.code, names]).toEqual([0, expect.arrayContaining(['by api', 'lab', 'prod'])]);
    expect((await json('api', 'DELETE', `/api/environments/${made.body.id}`)).code).toBe(0);
    const refused = await json('api', 'PATCH', `/api/environments/${made.body.id}`, '-f', 'name=x');
    expect([refused.code, refused.problem?.code]).toEqual([2, 'not_found']);
    const elsewhere = await run('api', 'GET', '//elsewhere.example/api/plans');
    expect([elsewhere.code, elsewhere.err]).toEqual([2, expect.stringContaining('is not a path')]);
  });

  it('start a run with a warning about hosts whose login cannot run commands', async () => {
    const state = (name: string) =>
      lab.runward.database.query(`update servers set state = $1 where name = 'web-2'`, [name]);
    await state('no_commands');
    const { code, err } = await run('run', 'start', 'slow', '--targets', 'name=web-2', '--dry-run');
    await state('reachable');
    expect([code, err]).toEqual([0, expect.stringMatching(/^Warning: Runward can sign in to "web-2", but/m)]);
  });

  it('export a plan and import it under another name', async () => {
    await run('plan', 'export', 'slow', '-o', 'slow.yaml');
    const yaml = await readFile(path.join(cli.home, 'slow.yaml'), 'utf8');
    const imported = await cli.run(['plan', 'import', '-'], { input: yaml.replace(/^name: .*/m, 'name: slower') });
    expect([imported.code, imported.out]).toEqual([0, expect.stringMatching(/^slower +new +1 /m)]);
    const script = { name: 'bash-script', content: '#!/bin/bash\n:\n' };
    expect((await lab.api.post('/api/scripts', script)).status).toBe(201);
    const steps = 'steps: [{key: go, type: script, script: bash-script, interpreter: sh}]\n';
    const contradicted = await cli.run(['plan', 'import', '-'], { input: `name: contradicted\n${steps}` });
    expect([contradicted.code, contradicted.err]).toEqual([
      0,
      expect.stringMatching(/^Warning: contradicted, line 2: Step "go" .*Line 1 names "\/bin\/bash", but "sh" runs/m),
    ]);
    await writeFile(path.join(cli.home, 'broken.yaml'), 'name: x\nsteps:\n  - kye: a\n');
    const refused = await run('plan', 'import', 'broken.yaml', '--preview');
    expect([refused.code, refused.err]).toEqual([2, expect.stringMatching(/line 3, column \d+: .*kye/)]);
    expect((await run('plan', 'import', 'absent.yaml')).err).toContain('there is no such file');
  });

  it('register, import and check servers', async () => {
    const { sshd } = lab.hosts;
    const { publicKey } = lab.hosts.hostKey(lab.spare[0]);
    const upsert = (name: string) =>
      run(
        ...[
          'server',
          'upsert',
          '--source',
          'netbox',
          '--external-id',
          '4711',
          '--name',
          name,
          '--hostname',
          '127.0.1.1',
        ],
        ...[
          '--port',
          String(sshd.port),
          '--username',
          `${sshd.user}`,
          '--env',
          'lab',
          '--key',
          'lab',
          '--tag',
          'from=netbox',
        ],
        ...['--disabled', '--host-key', publicKey],
      );
    expect((await upsert('box')).code).toBe(6);
    await lab.environment('cellar');
    const box = ['--env', 'cellar', '--key', 'lab', '--username', 'deploy'];
    const made = [
      'server',
      'upsert',
      '--source',
      'netbox',
      '--external-id',
      '4711',
      '--name',
      'box',
      '--hostname',
      'box.invalid',
      ...box,
    ];
    expect((await run(...made)).out).toMatch(/^box {2}\S+ {2}registered/);
    expect((await run(...made)).out).toContain('updated');
    await writeFile(
      path.join(cli.home, 'servers.json'),
      JSON.stringify([{ name: 'shelf', hostname: 'shelf.invalid' }]),
    );
    const imported = await run('server', 'import', 'servers.json', '--format', 'json', ...box);
    expect([imported.code, imported.out]).toEqual([0, expect.stringContaining('1 create')]);
    const checked = await run('server', 'check', 'web-1');
    expect([checked.code, checked.out]).toEqual([0, expect.stringMatching(/^web-1 +reachable/m)]);
    expect((await run('server', 'check', 'shelf')).code).toBe(1);
    expect((await run('server', 'check', '--env', 'lab')).out).toContain('servers will be checked');
  });

  it('sync a git source, and print the reason of a failure', async () => {
    const absent = { name: 'absent', url: 'https://127.0.0.1:1/none.git' };
    expect((await lab.api.post('/api/git-sources', absent)).status).toBe(201);
    const failed = await run('source', 'sync', 'absent');
    expect([failed.code, failed.out]).toEqual([1, expect.stringMatching(/^absent {2}failed/)]);
    expect(failed.err).not.toBe('');
    expect((await run('source', 'sync', 'absent', '--no-wait')).code).toBe(0);
  });
});

describe('unknown names', () => {
  it('suggest the nearest name and exit with 2', async () => {
    const plans = await json('run', 'start', 'slwo');
    expect([plans.code, plans.problem]).toMatchObject([
      2,
      { code: 'unknown_name', detail: 'There is no plan "slwo" that you can see.' },
    ]);
    expect((await run('run', 'start', 'slwo')).err).toContain('Did you mean "slow"');
    expect((await run('run', 'start', 'ok', '--env', 'labb')).err).toContain('Did you mean "lab"?');
    expect((await run('server', 'check', 'wbe-1')).err).toContain('"web-1"');
    const variable = await run('run', 'start', 'slow', '--var', 'CONUT=1');
    expect([variable.code, variable.err]).toEqual([2, expect.stringContaining('COUNT')]);
    expect((await run('run', 'show', '0192')).code).toBe(2);
    expect((await json('run', 'show', lab.environmentId)).problem?.code).toBe('not_found');
  });
});

it("runs from a checkout, prints nothing else to standard output and resolves paths in the caller's directory", async () => {
  const root = path.resolve(import.meta.dirname, '../../..');
  const npm = (...args: string[]) =>
    promisify(execFile)('npm', ['--prefix', root, 'run', '--silent', 'cli', '--', ...args], {
      cwd: cli.home,
      env: cli.env,
    });
  const { stdout } = await npm('whoami', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ role: 'admin' });
  await expect(npm('plan', 'import', 'absent.yaml')).rejects.toMatchObject({ code: 2, stdout: '' });
  await writeFile(path.join(cli.home, 'here.yaml'), 'name: here\nsteps:\n  - key: a\n    command: "true"\n');
  expect((await npm('plan', 'import', 'here.yaml', '--preview')).stdout).toMatch(/^here +new/m);
});

describe('signing in', () => {
  it('reads the token from standard input, stores it for one address, and deletes it', async () => {
    const env = { RUNWARD_TOKEN: '', RUNWARD_URL: '' };
    const file = path.join(cli.home, '.config/runward/config.json');
    const refused = await cli.run(['login', lab.runward.url], { env, input: `${lab.admin.token.slice(0, -1)}x\n` });
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('runward login')]);
    const login = await cli.run(['login', lab.runward.url], { env, input: `${lab.admin.token}\n` });
    expect([login.code, login.out]).toEqual([0, expect.stringMatching(/Role +admin/)]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await cli.run(['whoami'], { env })).code).toBe(0);
    const elsewhere = await cli.run(['whoami'], { env: { ...env, RUNWARD_URL: 'http://127.0.0.1:9' } });
    expect([elsewhere.code, elsewhere.err]).toEqual([2, expect.stringContaining('You are signed in at')]);
    const { token } = (await lab.api.post<{ token: string }>('/api/tokens', { name: 'to revoke' })).body;
    expect((await cli.run(['login'], { env, input: token })).code).toBe(0);
    expect((await cli.run(['logout', '--revoke'], { env })).code).toBe(0);
    expect((await cli.run(['whoami'], { env: { RUNWARD_TOKEN: token } })).code).toBe(2);
    const out = await cli.run(['whoami'], { env: { ...env, RUNWARD_URL: lab.runward.url } });
    expect([out.code, out.err]).toEqual([2, expect.stringContaining('No token for')]);
  });
});
