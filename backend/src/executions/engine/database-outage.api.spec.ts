import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';

const LINES = 400;

let lab: RunLab;

const cutConnections = async (): Promise<number> => {
  const cut = await lab.runward.database.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  return cut.length;
};
const count = async (file: string) => (await lab.left(file)).split('\n').filter(Boolean).length;

beforeAll(async () => {
  lab = await startRunLab({ hosts: 3 });
  await lab.runward.worker();
});
afterAll(() => lab.close());

describe('a run during which the database cuts all connections several times', () => {
  it('ends SUCCEEDED with all of its output, and each command was started once', async () => {
    const write = (file: string) =>
      `echo x >> ${lab.evidence}/${file}; i=0; while [ $i -lt ${LINES} ]; do i=$((i+1)); echo "line $i"; [ $((i % 20)) -eq 0 ] && sleep 0.05; done; true`;
    const { id } = await lab.start(await lab.plan([write('first'), write('second'), write('third')]));
    for (const file of ['first', 'second', 'third']) {
      await eventually(`${file} has begun`, async () => (await count(file)) > 0);
      expect(await cutConnections()).toBeGreaterThan(0);
    }
    const ended = await eventually(
      'the run is over',
      async () => {
        const run = await lab.get(id).catch(() => null);
        return run?.finished ? run : null;
      },
      40_000,
    );
    expect(ended).toMatchObject({ status: 'SUCCEEDED', statusReason: null });
    for (const file of ['first', 'second', 'third']) expect([file, await count(file)]).toEqual([file, 3]);
    for (const key of ['step-1', 'step-2', 'step-3']) {
      for (const { id: serverId } of lab.servers) {
        const lines = await lab.lines(id, `stepKey=${key}&serverId=${serverId}&limit=5000`);
        expect(lines.map(({ line, text }) => `${line} ${text}`)).toEqual(
          Array.from({ length: LINES }, (_, n) => `${n + 1} line ${n + 1}`),
        );
      }
    }
    for (const result of await lab.results(id))
      expect(result).toMatchObject({ status: 'SUCCEEDED', attempts: 1, outputLines: LINES, droppedLines: 0 });
  });

  it('stores events in ascending order, each transition once', async () => {
    const [run] = (await lab.api.get<{ items: { id: string }[] }>('/api/executions')).body.items;
    const events = await lab.runward.database.query<{ seq: string; type: string }>(
      'select seq, type from execution_events where execution_id = $1 order by seq',
      [run?.id],
    );
    expect(events.map(({ seq }) => Number(seq))).toEqual(events.map((_, index) => index + 1));
    const of = (type: string) => events.filter((event) => event.type === type).length;
    expect(['step.started', 'step.finished', 'host.started', 'host.finished', 'execution.finished'].map(of)).toEqual([
      3, 3, 9, 9, 1,
    ]);
    const audited = await lab.runward.database.query<{ action: string }>(
      'select action from audit_entries where resource_id = $1 order by id',
      [run?.id],
    );
    expect(audited.map(({ action }) => action)).toEqual([
      'execution.start',
      'execution.running',
      'execution.succeeded',
    ]);
  });

  it('does not affect the next run', async () => {
    expect((await lab.run(['true'])).status).toBe('SUCCEEDED');
  });
});
