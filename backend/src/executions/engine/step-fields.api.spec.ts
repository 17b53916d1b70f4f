import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { freePort } from '../../../test/support/free-port.js';
import { type LabStep, type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { HostResultView } from '../contract/results.view.js';
import { toJournalFolderId } from './connections/journal-entries.js';

let lab: RunLab;
const one = { targets: 'name=web-1' };
const short = (results: HostResultView[]) =>
  results.map(
    ({ stepKey, serverName, status, reason }) => `${stepKey} ${serverName} ${status}${reason ? ` ${reason.code}` : ''}`,
  );
const mark = (file: string) => `echo "$RUNWARD_STEP $RUNWARD_ATTEMPT" >> ${lab.evidence}/${file}`;
const left = async (file: string) => (await lab.left(file)).split('\n').filter(Boolean);
const lines = async (id: string, stepKey: string) =>
  (await lab.lines(id, `stepKey=${stepKey}`)).map(({ text }) => text).sort();

beforeAll(async () => {
  lab = await startRunLab({ hosts: 3 });
  await lab.runward.worker({ recoverySeconds: 3 });
});
afterAll(() => lab.close());

describe('a condition', () => {
  it('skips hosts where it is false, and names the condition; a step skipped everywhere is skipped', async () => {
    const run = await lab.run([
      { key: 'find', command: 'echo x', okExitCodes: [0], readOnly: true },
      { key: 'db', command: mark('db'), when: 'host.tags.role == "db"' },
      { key: 'never', command: mark('never'), when: 'steps.find.changed' },
    ]);
    expect(run.status).toBe('SUCCEEDED');
    expect(run.steps.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SKIPPED']);
    expect(short(await lab.results(run.id, 'stepKey=db'))).toEqual([
      'db web-1 SKIPPED when_false',
      'db web-2 SKIPPED when_false',
      'db web-3 SUCCEEDED',
    ]);
    expect((await lab.results(run.id, 'stepKey=db'))[0]?.reason?.text).toContain('host.tags.role == "db"');
    expect(await left('db')).toHaveLength(1);
    expect(await left('never')).toEqual([]);
  });
});

describe('outputs of a command', () => {
  it('are stored, removed from its printed output, and used by later steps on the same host; their secrets are masked', async () => {
    const planId = await lab.plan(
      [
        {
          key: 'build',
          command: `echo "number=$(echo "$SSH_CONNECTION" | cut -d' ' -f3)" > "$RUNWARD_OUTPUT"; echo "told=$TOKEN" >> "$RUNWARD_OUTPUT"; printf visible`,
          outputs: ['number', 'told'],
        },
        { key: 'use', command: 'echo {{ steps.build.outputs.number }} {{ host.name }} {{ steps.build.status }}' },
      ],
      { variables: [{ name: 'TOKEN', type: 'secret', required: true }] },
    );
    const { id } = await lab.start(planId, { variables: { TOKEN: 'hunter2-secret' } });
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await lines(id, 'build')).toEqual(['visible', 'visible', 'visible']);
    expect(await lines(id, 'use')).toEqual([
      '127.0.1.1 web-1 SUCCEEDED',
      '127.0.1.2 web-2 SUCCEEDED',
      '127.0.1.3 web-3 SUCCEEDED',
    ]);
    const rows = await lab.runward.database.query<{ outputs: Record<string, string> }>(
      'select outputs from host_results where execution_id = $1 and step_index = 0 order by outputs::text',
      [id],
    );
    expect(rows[0]?.outputs).toEqual({ number: '127.0.1.1', told: '‹secret TOKEN›' });
  });

  it('of a step that ran once are available to every host', async () => {
    const run = await lab.run([
      { key: 'pick', command: 'echo id=abc > "$RUNWARD_OUTPUT"', outputs: ['id'], runOnce: true },
      { key: 'use', command: 'echo {{ steps.pick.outputs.id }}' },
    ]);
    expect(run.status).toBe('SUCCEEDED');
    expect(await lines(run.id, 'use')).toEqual(['abc', 'abc', 'abc']);
  });

  it('that are missing fail the host before anything is started, by name', async () => {
    const run = await lab.run(
      [
        { key: 'build', command: 'true', outputs: ['version'] },
        { key: 'use', command: `echo {{ steps.build.outputs.version }} >> ${lab.evidence}/missing` },
      ],
      one,
    );
    const [result] = await lab.results(run.id, 'stepKey=use');
    expect(result).toMatchObject({ status: 'FAILED', reason: { code: 'cannot_render' }, attempts: 0 });
    expect(result?.reason?.text).toContain('The step "build" did not set its output "version" on this host.');
    expect(await left('missing')).toEqual([]);
  });
});

describe('success and change', () => {
  const changed = async (id: string) => {
    const rows = await lab.runward.database.query<{ changed: boolean | null }>(
      'select changed from host_results where execution_id = $1 order by step_index',
      [id],
    );
    return rows.map((row) => row.changed);
  };

  it('depend on exit codes and readOnly', async () => {
    const run = await lab.run(
      [
        { key: 'plain', command: 'true' },
        { key: 'reads', command: 'true', readOnly: true },
        { key: 'ok', command: 'exit 3', okExitCodes: [0, 3] },
        { key: 'changes', command: 'exit 4', changedExitCodes: [4] },
        { key: 'same', command: 'exit 0', changedExitCodes: [4] },
        { key: 'handler', command: mark('handler'), onlyIfChanged: ['same'] },
        { key: 'handles', command: mark('handles'), onlyIfChanged: ['changes'] },
      ],
      one,
    );
    expect(run.status).toBe('SUCCEEDED');
    expect(run.steps.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 5 }, () => 'SUCCEEDED'),
      'SKIPPED',
      'SUCCEEDED',
    ]);
    expect(await changed(run.id)).toEqual([true, false, true, true, false, true]);
    expect([await left('handler'), await left('handles')]).toEqual([[], ['handles 1']]);
  });

  it('are excluded for every other exit code, including 0 when it is not listed', async () => {
    const run = await lab.run([{ key: 'odd', command: 'exit 0', okExitCodes: [1] }], one);
    expect((await lab.results(run.id))[0]).toMatchObject({ status: 'FAILED', exitCode: 0 });
  });
});

describe('unless', () => {
  it('skips a host where its command succeeds, and runs the step elsewhere', async () => {
    const run = await lab.run([
      {
        key: 'install',
        command: `${mark('unless')}; echo ran`,
        unless: 'case "$SSH_CONNECTION" in *" 127.0.1.2 "*) echo hidden;; *) false;; esac',
      },
    ]);
    expect(run.status).toBe('SUCCEEDED');
    expect(short(await lab.results(run.id))).toEqual([
      'install web-1 SUCCEEDED',
      'install web-2 SKIPPED unless_succeeded',
      'install web-3 SUCCEEDED',
    ]);
    expect(await lines(run.id, 'install')).toEqual(['ran', 'ran']);
    expect(await left('unless')).toHaveLength(2);
  });
});

describe('retries', () => {
  it('repeat until success, report it in the stream, and keep the output of all attempts', async () => {
    const command = `${mark('retried')}; printf "try $RUNWARD_ATTEMPT"; [ "$RUNWARD_ATTEMPT" = 3 ]`;
    const steps: LabStep[] = [{ key: 'flaky', command, retries: { count: 3, delaySeconds: 0, backoff: 'constant' } }];
    const run = await lab.run(steps, one);
    expect(run.status).toBe('SUCCEEDED');
    expect((await lab.results(run.id))[0]).toMatchObject({ status: 'SUCCEEDED', attempts: 3, outputLines: 3 });
    expect(await left('retried')).toEqual(['flaky 1', 'flaky 2', 'flaky 3']);
    expect(await lines(run.id, 'flaky')).toEqual(['try 1', 'try 2', 'try 3']);
    const events = await lab.runward.database.query<{ data: Record<string, unknown> }>(
      `select data from execution_events where execution_id = $1 and type = 'host.retrying' order by seq`,
      [run.id],
    );
    expect(events.map(({ data }) => data)).toMatchObject([
      { stepKey: 'flaky', status: 'FAILED', exitCode: 1, attempt: 1, nextInMs: 0 },
      { attempt: 2 },
    ]);
    const dispatches = await lab.runward.database.query<{ attempt: number }>(
      'select attempt from dispatches where execution_id = $1 order by attempt',
      [run.id],
    );
    expect(dispatches.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  });

  it('end with the last result when they are used up', async () => {
    const steps: LabStep[] = [
      {
        key: 'broken',
        command: mark('broken') + '; exit 9',
        retries: { count: 2, delaySeconds: 0, backoff: 'exponential' },
      },
    ];
    const run = await lab.run(steps, one);
    expect((await lab.results(run.id))[0]).toMatchObject({ status: 'FAILED', exitCode: 9, attempts: 3 });
    expect(await left('broken')).toHaveLength(3);
  });

  it('wait without occupying a slot, and end when the run is cancelled', async () => {
    const steps: LabStep[] = [
      {
        key: 'waits',
        command: mark('waits') + '; false',
        retries: { count: 5, delaySeconds: 600, backoff: 'constant' },
      },
    ];
    const { id } = await lab.start(await lab.plan(steps, one));
    await eventually(
      'it waits',
      async () => (await lab.results(id))[0]?.status === 'PENDING' && (await left('waits')).length > 0,
    );
    await lab.api.post(`/api/executions/${id}/cancel`, {});
    expect((await lab.settled(id)).status).toBe('CANCELLED');
    expect((await lab.results(id))[0]).toMatchObject({ status: 'FAILED', exitCode: 1, attempts: 1 });
  });
});

describe('the user and place of a command', () => {
  it('follow working directory and environment, and the command knows its own ids', async () => {
    const command = 'pwd; echo "$GREETING"; echo "$RUNWARD_EXECUTION_ID $RUNWARD_STEP $RUNWARD_ATTEMPT"';
    const run = await lab.run(
      [{ key: 'here', command, workingDirectory: lab.evidence, environment: { GREETING: 'hi' } }],
      one,
    );
    expect(await lines(run.id, 'here')).toEqual([lab.evidence, `${run.id} here 1`, 'hi'].sort());
  });
});

describe('a step that waits', () => {
  it('ends when the port answers on the host, and reports the address', async () => {
    const port = await freePort();
    const server = createServer((_, response) => response.end('ok'));
    const { id } = await lab.start(await lab.plan([{ key: 'up', type: 'wait', port, timeoutSeconds: 30 }], one));
    await eventually('it waits', async () => (await lab.results(id))[0]?.status === 'RUNNING');
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const ended = await lab.settled(id);
    await new Promise((resolve) => server.close(resolve));
    expect(ended.status).toBe('SUCCEEDED');
    const message = `127.0.0.1:${port} answered.`;
    expect((await lab.results(id))[0]).toMatchObject({
      status: 'SUCCEEDED',
      attempts: 0,
      exitCode: null,
      reason: { text: message },
    });
  });

  it('is TIMED_OUT when nothing answers in time', async () => {
    const steps: LabStep[] = [{ key: 'up', type: 'wait', port: await freePort(), timeoutSeconds: 1 }];
    const run = await lab.run(steps, one);
    expect(run.status).toBe('FAILED');
    expect((await lab.results(run.id))[0]).toMatchObject({ status: 'TIMED_OUT', reason: { code: 'not_answered' } });
  });
});

describe('data that hosts keep of a run', () => {
  it('is deleted when the run is over', async () => {
    const run = await lab.run(['true', 'true'], one);
    expect(run.status).toBe('SUCCEEDED');
    const folder = `$HOME/.runward/${toJournalFolderId(run.id, lab.servers[0]?.id ?? '')}`;
    await eventually('the host has cleared away', async () => {
      const { id } = await lab.run([`ls -d ${folder}/*/pid 2>/dev/null | wc -l`], one);
      return (await lines(id, 'step-1'))[0]?.trim() === '0';
    });
  });
});
