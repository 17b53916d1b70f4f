import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type RunLab, startRunLab } from '../../../../test/support/run-lab.js';
import type { InheritedResultListView } from '../../contract/inherited.view.js';
import type { ExecutionView } from '../../contract/execution.view.js';
import type { RerunPreviewView } from '../../contract/rerun-preview.view.js';

type Answered = ExecutionView & { code: string; detail: string; missing?: RerunPreviewView['missing'] };

let lab: RunLab;
let numbered = 0;
let file: string;

const rerun = (id: string, body: object) =>
  lab.api.post<Answered>(`/api/executions/${id}/rerun`, { hosts: 'all', snapshot: 'same', ...body });
const preview = async (id: string, body: object) => {
  const answer = await lab.api.post<RerunPreviewView>(`/api/executions/${id}/rerun/preview`, {
    ...{ hosts: 'all', snapshot: 'same' },
    ...body,
  });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.body;
};
const again = async (id: string, body: object) => {
  const { status, body: run, text } = await rerun(id, body);
  if (status !== 201) throw new Error(`The run was not run again: ${text}`);
  return lab.settled(run.id);
};
const HOST = `$(echo $SSH_CONNECTION | cut -d' ' -f3 | cut -d. -f4)`;
const mark = (text: string) => `echo ${text}-${HOST} >> ${lab.evidence}/${file}`;
const failOnHost2 = () =>
  `case "$SSH_CONNECTION" in *127.0.1.2*) [ -e ${lab.evidence}/${file}.mended ] || exit 3;; esac`;
const repairStep = () => writeFile(path.join(lab.evidence, `${file}.mended`), '');
const left = async () => (await lab.left(file)).split('\n').filter(Boolean).sort();
const hostNamesByStep = (list: RerunPreviewView['gaps']) =>
  Object.fromEntries(list.map(({ stepKey, hosts }) => [stepKey, hosts.map(({ name }) => name).join(' ')]));

beforeAll(async () => {
  lab = await startRunLab({ hosts: 3 });
  await lab.runward.worker();
});
beforeEach(() => {
  numbered += 1;
  file = `continued-${numbered}`;
});
afterAll(() => lab.close());

describe('a run that begins at a later step', () => {
  const build = () => ({
    key: 'build',
    command: `echo "version=v-${HOST}" >> "$RUNWARD_OUTPUT"; ${mark('build')}`,
    outputs: ['version'],
  });

  it.each(['barrier', 'free'] as const)(
    'reads the outputs of each host from the earlier run (%s)',
    async (strategy) => {
      const use = { key: 'use', command: `echo {{ steps.build.outputs.version }} >> ${lab.evidence}/${file}` };
      const before = await lab.run([build(), use], { strategy });
      const run = await again(before.id, { fromStepKey: 'use' });
      expect(run.status).toBe('SUCCEEDED');
      expect(await left()).toEqual([
        ...['build-1', 'build-2', 'build-3'],
        ...['v-1', 'v-1', 'v-2', 'v-2', 'v-3', 'v-3'],
      ]);
      expect((await lab.results(run.id)).every(({ stepKey }) => stepKey === 'use')).toBe(true);
      expect(run.steps[0]?.counts).toEqual({});
      expect(run.inherited).toEqual({ results: 3, done: [] });
      const taken = `/api/executions/${run.id}/inherited-results`;
      const page = (await lab.api.get<InheritedResultListView>(`${taken}?limit=2`)).body;
      const rest = (await lab.api.get<InheritedResultListView>(`${taken}?limit=2&cursor=${page.nextCursor}`)).body;
      const all = [...page.items, ...rest.items];
      expect(all.map(({ serverName, outputs }) => `${serverName} ${outputs?.version}`).sort()).toEqual([
        ...['web-1 v-1', 'web-2 v-2', 'web-3 v-3'],
      ]);
      expect(all[0]).toMatchObject({ stepKey: 'build', status: 'SUCCEEDED', done: false, executionId: before.id });
      expect(rest.nextCursor).toBeNull();
    },
  );

  it('reads them in conditions, templates and arguments; a `runOnce` result counts for all hosts', async () => {
    const { body: script } = await lab.api.post<{ id: string }>('/api/scripts', {
      name: file,
      content: `echo "arg $1" >> ${lab.evidence}/${file}`,
    });
    const { body: template } = await lab.api.post<{ id: string }>('/api/templates', {
      name: file,
      content: '{{ steps.once.outputs.version }} {{ steps.build.exitCode }}',
    });
    const steps = [
      build(),
      { key: 'once', runOnce: true, command: 'echo version=shared >> "$RUNWARD_OUTPUT"', outputs: ['version'] },
      { key: 'go', command: 'true' },
      { key: 'arg', type: 'script' as const, scriptId: script.id, arguments: ['{{ steps.build.outputs.version }}'] },
      {
        ...{
          key: 'write',
          type: 'template' as const,
          templateId: template.id,
          path: `${lab.evidence}/${file}.written`,
        },
        targets: 'name=web-2',
      },
      { key: 'when', when: 'steps.build.outputs.version == "v-2" and steps.build.changed', command: mark('when') },
    ];
    const before = await lab.run(steps);
    expect(before.status).toBe('SUCCEEDED');
    await lab.run([`rm -f ${lab.evidence}/${file} ${lab.evidence}/${file}.written`], { targets: 'name=web-1' });
    const run = await again(before.id, { fromStepKey: 'go' });
    expect(run.status).toBe('SUCCEEDED');
    expect(await left()).toEqual(['arg v-1', 'arg v-2', 'arg v-3', 'when-2']);
    expect(await lab.left(`${file}.written`)).toBe('shared 0');
  });

  it('runs the handler of a change that was made before it', async () => {
    const before = await lab.run([
      { key: 'change', command: failOnHost2(), maxFailPercent: 100, onFailure: 'continue' },
      { key: 'between', command: failOnHost2() },
      { key: 'handler', command: mark('handler'), onlyIfChanged: ['change'] },
    ]);
    expect(before.status).toBe('PARTIALLY_SUCCEEDED');
    const run = await again(before.id, { fromStepKey: 'handler', hosts: 'all' });
    expect(run.status).toBe('SUCCEEDED');
    // No handler ran for host 2, because the step failed there and changed nothing.
    expect(await left()).toEqual(['handler-1', 'handler-1', 'handler-3', 'handler-3']);
  });

  it('inherits results that the earlier run had inherited itself', async () => {
    const use = (key: string) => ({
      key,
      command: `echo ${key} {{ steps.build.outputs.version }} >> ${lab.evidence}/${file}`,
    });
    const first = await lab.run([build(), use('a'), use('b')], { targets: 'name=web-1' });
    const second = await again(first.id, { fromStepKey: 'b' });
    const third = await again(second.id, { fromStepKey: 'a' });
    const fourth = await again(third.id, { fromStepKey: 'b', execution_mode: 'dry_run' });
    const fifth = await again(fourth.id, { fromStepKey: 'b', execution_mode: 'auto' });
    expect([second, third, fourth, fifth].map(({ status }) => status)).toEqual(Array(4).fill('SUCCEEDED'));
    expect(await left()).toEqual(['a v-1', 'a v-1', 'b v-1', 'b v-1', 'b v-1', 'b v-1', 'build-1']);
  });

  it('has a different digest when an inherited result differs, and the same digest otherwise', async () => {
    const count = `${lab.evidence}/${file}.count`;
    const build = {
      key: 'build',
      command: `echo x >> ${count}; echo "n=$(wc -l < ${count})" >> "$RUNWARD_OUTPUT"`,
      outputs: ['n'],
    };
    const steps = [build, { key: 'use', command: 'echo {{ steps.build.outputs.n }}' }];
    const first = await lab.run(steps, { targets: 'name=web-1' });
    const second = await again(first.id, {});
    expect(second.digest).toBe(first.digest);
    const digestFrom = async (id: string) => (await preview(id, { fromStepKey: 'use' })).digest;
    expect(await digestFrom(first.id)).not.toBe(await digestFrom(second.id));
    expect((await again(first.id, { fromStepKey: 'use' })).digest).toBe(await digestFrom(first.id));
  });

  it('is refused with hosts and steps when a referenced result is missing, unless gaps are accepted', async () => {
    const before = await lab.run([
      { ...build(), command: `${failOnHost2()}; ${build().command}` },
      { key: 'use', command: 'echo {{ steps.build.outputs.version }}' },
    ]);
    expect(before.status).toBe('FAILED');
    const { status, body } = await rerun(before.id, { fromStepKey: 'use' });
    expect([status, body.code]).toEqual([409, 'missing_results']);
    const missing = [
      { stepKey: 'use', needs: 'build', count: 1, hosts: [{ serverId: lab.servers[1]?.id, name: 'web-2' }] },
    ];
    expect(body.missing).toEqual(missing);
    expect(body.detail).toContain('Step "use" uses the result of "build", but no result can be inherited for "web-2".');
    expect((await preview(before.id, { fromStepKey: 'use' })).missing).toEqual(missing);
    const run = await again(before.id, { fromStepKey: 'use', acceptGaps: true });
    expect(run.hosts.map((host) => host.status)).toEqual(['SUCCEEDED', 'FAILED', 'SUCCEEDED']);
  });

  it('is forecast by a dry run with the inherited results', async () => {
    const before = await lab.run(
      [
        build(),
        { key: 'use', command: 'echo {{ steps.build.outputs.version }}' },
        { key: 'other', when: 'steps.build.outputs.version == "v-2"', command: 'true' },
        { key: 'handler', onlyIfChanged: ['build'], command: 'true' },
      ],
      { targets: 'name in (web-1, web-2)' },
    );
    const dry = await again(before.id, { fromStepKey: 'use', execution_mode: 'dry_run' });
    expect(dry.status).toBe('SUCCEEDED');
    const verdicts = (await lab.results(dry.id)).map(({ stepKey, serverName, verdict }) => [
      stepKey,
      serverName,
      verdict,
    ]);
    expect(verdicts).toEqual([
      ...[
        ['use', 'web-1', 'WOULD_RUN'],
        ['use', 'web-2', 'WOULD_RUN'],
      ],
      ...[
        ['other', 'web-1', 'WOULD_SKIP'],
        ['other', 'web-2', 'WOULD_RUN'],
      ],
      ...[
        ['handler', 'web-1', 'WOULD_RUN'],
        ['handler', 'web-2', 'WOULD_RUN'],
      ],
    ]);
    const realRun = await again(before.id, { fromStepKey: 'use' });
    expect(realRun.digest).toBe(dry.digest);
  });

  it('inherits nothing from a dry run', async () => {
    const steps = [build(), { key: 'use', command: 'echo {{ steps.build.outputs.version }}' }];
    const dry = await lab.run(steps, { start: { execution_mode: 'dry_run' } });
    const { body } = await rerun(dry.id, { fromStepKey: 'use', execution_mode: 'auto' });
    expect([body.code, body.missing?.[0]?.count]).toEqual(['missing_results', 3]);
  });
});

describe('a run on the unfinished hosts', () => {
  it.each(['barrier', 'free'] as const)('runs on each host the missing steps only (%s)', async (strategy) => {
    const steps = [mark('one'), failOnHost2(), mark('three'), mark('four')];
    const before = await lab.run(steps, { strategy });
    const reached = await left();
    const seen = await preview(before.id, { hosts: 'unfinished' });
    expect([seen.gaps, seen.repeats, seen.missing]).toEqual([[], [], []]);
    await repairStep();
    const run = await again(before.id, { hosts: 'unfinished' });
    expect(run.status).toBe('SUCCEEDED');
    const all = ['one', 'three', 'four'].flatMap((step) => [1, 2, 3].map((host) => `${step}-${host}`)).sort();
    expect(await left()).toEqual(all);
    expect(reached.length).toBeLessThan(all.length);
    expect(run.steps[0]).toMatchObject({
      status: 'SKIPPED',
      reason: { code: 'done_before', text: expect.stringMatching(/^The original run already completed this step/) },
    });
    const over = await rerun(run.id, { hosts: 'unfinished' });
    expect([over.status, over.body.code]).toEqual([409, 'no_unfinished_hosts']);
  });

  it('leaves no gap, unlike a run on the failed hosts', async () => {
    const before = await lab.run([mark('one'), failOnHost2(), mark('three')]);
    expect(hostNamesByStep((await preview(before.id, { hosts: 'failed' })).gaps)).toEqual({ 'step-3': 'web-1 web-3' });
    expect(hostNamesByStep((await preview(before.id, { hosts: 'failed' })).repeats)).toEqual({ 'step-1': 'web-2' });
    const seen = await preview(before.id, { hosts: 'unfinished' });
    expect(seen.hostCount).toBe(3);
    expect(seen.steps.map(({ runs, done, leftOut }) => [runs, done, leftOut])).toEqual([
      ...[[0, 3, true] as const, [1, 2, false] as const, [3, 0, false] as const],
    ]);
    expect(hostNamesByStep((await preview(before.id, { hosts: 'unfinished', fromStepKey: 'step-3' })).gaps)).toEqual({
      'step-2': 'web-2',
    });
  });

  it('repeats cleanup after repeated steps, and skips steps that a condition excluded', async () => {
    const before = await lab.run([
      { key: 'never', when: 'host.name == "absent"', command: mark('never') },
      { key: 'fails', command: failOnHost2() },
      { key: 'after', command: mark('after') },
      { key: 'clean', always: true, command: mark('clean') },
    ]);
    expect(await left()).toEqual(['clean-1', 'clean-2', 'clean-3']);
    expect(hostNamesByStep((await preview(before.id, { hosts: 'unfinished' })).repeats)).toEqual({
      clean: 'web-1 web-2 web-3',
    });
    await repairStep();
    expect((await again(before.id, { hosts: 'unfinished' })).status).toBe('SUCCEEDED');
    expect(await left()).toEqual([
      ...['after-1', 'after-2', 'after-3'],
      ...['clean-1', 'clean-1', 'clean-2', 'clean-2', 'clean-3', 'clean-3'],
    ]);
  });

  it('repeats changed steps when it uses the current snapshot', async () => {
    const planId = await lab.plan([mark('one'), failOnHost2(), mark('three')]);
    const before = await lab.settled((await lab.start(planId)).id);
    await repairStep();
    const change = (steps: string[]) =>
      lab.api.patch(`/api/plans/${planId}`, {
        steps: steps.map((command, index) => ({ key: `step-${index + 1}`, command })),
      });
    await change([mark('one'), 'true', mark('three')]);
    const now = { hosts: 'unfinished', snapshot: 'current' };
    expect(hostNamesByStep((await preview(before.id, now)).repeats)).toEqual({ 'step-2': 'web-1 web-3' });
    await change([mark('other'), 'true', mark('three')]);
    expect(hostNamesByStep((await preview(before.id, now)).repeats)).toEqual({
      'step-1': 'web-1 web-2 web-3',
      'step-2': 'web-1 web-3',
    });
    expect((await again(before.id, now)).status).toBe('SUCCEEDED');
  });

  it('includes hosts that a stopped run never reached', async () => {
    const before = await lab
      .run([mark('one'), mark('two')], { start: { execution_mode: 'interactive' } })
      .catch(() => null);
    expect(before).toBeNull();
    const { items } = (await lab.api.get<{ items: ExecutionView[] }>('/api/executions?limit=1')).body;
    const id = items[0]?.id ?? '';
    await lab.api.post(`/api/executions/${id}/cancel`);
    await lab.settled(id);
    const run = await again(id, { hosts: 'unfinished', execution_mode: 'auto' });
    expect(run.status).toBe('SUCCEEDED');
    expect(await left()).toHaveLength(6);
  });
});

describe('an inherited result', () => {
  it('is frozen: it does not change with its original run', async () => {
    const before = await lab.run([
      { key: 'build', command: 'echo version=v1 >> "$RUNWARD_OUTPUT"', outputs: ['version'] },
      { key: 'use', command: `echo {{ steps.build.outputs.version }} >> ${lab.evidence}/${file}` },
    ]);
    const { body } = await rerun(before.id, { fromStepKey: 'use', execution_mode: 'interactive' });
    await lab.settled(body.id).catch(() => null);
    await lab.runward.database.query(`update host_results set outputs = '{"version":"v2"}' where execution_id = $1`, [
      before.id,
    ]);
    await lab.api.post(`/api/executions/${body.id}/decisions`, { stepKey: 'use', action: 'proceed' });
    expect((await lab.settled(body.id)).status).toBe('SUCCEEDED');
    expect(await left()).toEqual(Array(6).fill('v1'));
  });
});
