import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { xmlElements } from '../../../test/support/xml-elements.js';
import { newId } from '../../common/ids.js';
import type { ExecutionView } from '../contract/execution.view.js';
import type { HostResultView } from '../contract/results.view.js';

let lab: RunLab;
let run: ExecutionView;

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
  await lab.runward.worker();
  run = await lab.run(
    [
      { key: 'fine', command: 'echo fine' },
      {
        key: 'odd',
        command: `echo 'a < b & c' >&2; test "$RUNWARD_HOST_NAME" = web-2 || exit 3`,
        onFailure: 'continue',
      },
      { key: 'never', command: 'true', when: 'false' },
    ],
    { maxFailPercent: 100 },
  );
});
afterAll(() => lab.close());

const read = async (accept: string, query = '', id = run.id, token = lab.admin.token) => {
  const headers = { authorization: `Bearer ${token}`, accept };
  const response = await fetch(`${lab.runward.url}/api/executions/${id}/results${query}`, { headers });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
};

describe('results of a run', () => {
  it('are a JUnit report for Accept: XML, with one suite per step and the last lines of failures', async () => {
    const { status, type, text } = await read('application/xml');
    expect([status, type]).toEqual([200, 'application/xml; charset=utf-8']);
    const elements = xmlElements(text);
    expect(elements[0]).toMatchObject({ name: 'testsuites', attributes: { name: run.planName } });
    const suites = elements.filter(({ name }) => name === 'testsuite').map(({ attributes }) => attributes);
    expect(suites.map(({ name, tests, failures }) => [name, tests, failures])).toEqual([
      ['Run', '1', '0'],
      ['fine', '2', '0'],
      ['odd', '2', expect.any(String)],
      ['never', '2', '0'],
    ]);
    expect(elements[0]?.attributes).not.toHaveProperty('skipped');
    const cases = elements.filter(({ name }) => name === 'testcase');
    expect(Number(elements[0]?.attributes.tests)).toBe(cases.length);
    const failures = elements.filter(({ name }) => name === 'failure');
    expect(failures.length).toBeGreaterThan(0);
    expect(failures.length).toBe(Number(elements[0]?.attributes.failures));
    expect(failures[0]?.text).toBe('a < b & c');
  });

  it('are a JUnit report with the same cases while the run waits, which is not green', async () => {
    const plan = await lab.plan([
      { key: 'first', command: 'true' },
      { key: 'gate', type: 'gate', message: 'Go on?' },
      'true',
    ]);
    const started = await lab.start(plan);
    const casesOf = async () => {
      const elements = xmlElements((await read('application/xml', '', started.id)).text);
      const cases = elements.filter(({ name }) => name === 'testcase');
      return {
        names: cases.map(({ attributes }) => `${attributes.classname} ${attributes.name}`),
        errors: elements.filter(({ name }) => name === 'error').map(({ attributes }) => attributes.type),
        runs: new Set(
          elements.filter(({ attributes }) => attributes.name === 'run').map(({ attributes }) => attributes.value),
        ),
      };
    };
    const waiting = await eventually('it waits', async () => {
      const shown = await lab.get(started.id);
      return shown.status === 'PAUSED' && shown;
    });
    const paused = await casesOf();
    expect([paused.errors, paused.runs]).toEqual([['PAUSED'], new Set([started.id])]);
    const body = { stepKey: 'gate', action: 'proceed', pauseSince: waiting.pause?.since };
    await lab.api.post(`/api/executions/${started.id}/decisions`, body);
    await lab.settled(started.id);
    expect(await casesOf()).toEqual({ ...paused, errors: [] });
  });

  it('are one JSON object per line for Accept: NDJSON, equal to the pages', async () => {
    const { status, type, text } = await read('application/x-ndjson');
    expect([status, type]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as HostResultView);
    expect(lines).toEqual(await lab.results(run.id));
  });

  it('are filtered in each format', async () => {
    const one = await read('application/x-ndjson', '?stepKey=fine');
    expect(one.text.trimEnd().split('\n').length).toBe(2);
    const xml = xmlElements((await read('application/xml', `?serverId=${lab.servers[0]?.id}&stepKey=fine`)).text);
    const parts = xml.filter(({ name }) => !name.startsWith('propert'));
    expect(parts.map(({ name, attributes }) => [name, attributes.name])).toEqual([
      ['testsuites', run.planName],
      ['testsuite', 'fine'],
      ['testcase', 'web-1'],
    ]);
  });

  it('are JSON pages for a client that accepts anything', async () => {
    expect((await read('*/*')).type).toContain('application/json');
  });

  it('are not found in any format for an invisible or unknown run', async () => {
    const other = await lab.runward.tenant();
    for (const accept of ['application/xml', 'application/x-ndjson', 'application/json']) {
      const answers = [await read(accept, '', run.id, other.token), await read(accept, '', newId())];
      expect(answers.map(({ status, type }) => [status, type])).toEqual([
        [404, 'application/problem+json; charset=utf-8'],
        [404, 'application/problem+json; charset=utf-8'],
      ]);
    }
  });

  it('answer an invalid query with a problem, also for Accept: XML', async () => {
    const { status, text } = await read('application/xml', '?stepKey=none');
    expect([status, text]).toEqual([400, expect.stringContaining('unknown_step')]);
  });
});

describe('the summary of a run', () => {
  it('counts hosts and steps, and shows the first failure with its last output lines', async () => {
    const shown = await lab.get(run.id);
    expect(Object.values(shown.summary.hostCounts).reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(shown.summary.stepCounts).toMatchObject({ SUCCEEDED: 1, SKIPPED: 1 });
    expect(shown.summary.durationMs).toBe(Date.parse(shown.finishedAt ?? '') - Date.parse(shown.startedAt ?? ''));
    expect(shown.summary.firstFailure).toMatchObject({
      ...{ stepKey: 'odd', status: 'FAILED', exitCode: 3, lastLines: ['a < b & c'] },
    });
    expect(shown.webUrl).toMatch(new RegExp(`^http://[^/]+/executions/${run.id}$`));
  });

  it('has success null until the run is finished', async () => {
    const plan = await lab.plan(['sleep 1']);
    const started = await lab.start(plan);
    expect([started.finished, started.successful, started.summary.durationMs]).toEqual([false, null, null]);
    const ended = await lab.settled(started.id);
    expect([ended.finished, ended.successful, ended.summary.firstFailure]).toEqual([true, true, null]);
  });
});

describe('labels of a run', () => {
  const list = async (query: string) =>
    (await lab.api.get<{ items: ExecutionView[] }>(`/api/executions?${query}`)).body.items.map(({ id }) => id);

  it('are shown, and filter the list together with other filters', async () => {
    const plan = await lab.plan(['true']);
    const first = await lab.start(plan, { labels: { release: '2.4=1', team: 'web' }, execution_mode: 'dry_run' });
    const second = await lab.start(plan, { labels: { release: '2.4=1' }, execution_mode: 'dry_run' });
    expect((await lab.get(first.id)).labels).toEqual({ release: '2.4=1', team: 'web' });
    expect(await list('label=release%3D2.4%3D1')).toEqual([second.id, first.id]);
    expect(await list('label=release%3D2.4%3D1&label=team%3Dweb')).toEqual([first.id]);
    expect(await list(`label=team%3Dweb&planId=${plan}`)).toEqual([first.id]);
    expect(await list('label=team%3Ddb')).toEqual([]);
  });

  it('are found with the plan name, note and end of the ID by `q`, and runs by the times of their end and change', async () => {
    const plan = await lab.plan(['true']);
    const labels = { ticket: 'OPS-77%' };
    const first = await lab.start(plan, { note: 'Zebra release', labels, execution_mode: 'dry_run' });
    const other = await lab.start(plan, { execution_mode: 'dry_run' });
    for (const q of [
      'zebra rel',
      'ticket%3Dops-77%25',
      first.id.slice(-8),
      first.id.slice(-12).toUpperCase(),
      first.id,
    ])
      expect([q, await list(`q=${q}`)]).toEqual([q, [first.id]]);
    expect(await list(`q=${other.planName}`)).toEqual([other.id, first.id]);
    expect(await list('q=ffffffff')).toEqual([]);
    const ended = await lab.settled(other.id);
    const [finished, updated] = [ended.finishedAt ?? '', ended.updatedAt].map(encodeURIComponent);
    expect(Date.parse(ended.updatedAt)).toBeGreaterThanOrEqual(Date.parse(ended.createdAt));
    expect(await list(`finishedFrom=${finished}&planId=${plan}`)).toContain(other.id);
    expect(await list(`finishedTo=${finished}&planId=${plan}`)).not.toContain(other.id);
    expect(await list(`updatedFrom=${updated}&planId=${plan}`)).toContain(other.id);
    expect(await list('updatedFrom=2999-01-01T00:00:00Z')).toEqual([]);
    expect(await list(`updatedFrom=2001-01-01T00:00:00Z&planId=${plan}`)).toEqual([other.id, first.id]);
  });

  it('are copied to a rerun without labels of its own', async () => {
    const ended = await lab.run(['true'], { start: { labels: { pipeline: '8712' } } });
    const again = async (more: object) =>
      (
        await lab.api.post<ExecutionView>(`/api/executions/${ended.id}/rerun`, {
          hosts: 'all',
          snapshot: 'same',
          ...more,
        })
      ).body;
    const first = await again({});
    expect(first.labels).toEqual({ pipeline: '8712' });
    await lab.settled(first.id);
    const second = await again({ labels: {} });
    expect(second.labels).toEqual({});
    await lab.settled(second.id);
  });

  it('are refused if invalid or too many', async () => {
    const plan = await lab.plan(['true']);
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, 'x']));
    for (const labels of [
      many,
      { 'a b': 'x' },
      { a: 1 },
      { a: 'x'.repeat(256) },
      { a: 'x\ny' },
      { '': 'x' },
      'a=b',
      ['a'],
    ]) {
      const answer = await lab.tryStart(plan, { labels });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('/labels')]);
    }
    expect((await lab.api.get('/api/executions?label=release')).status).toBe(400);
  });
});
