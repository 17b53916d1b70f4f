import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { pausedRun } from '../../../test/support/paused-run.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { ExecutionView } from '../contract/execution.view.js';

let lab: RunLab;

beforeAll(async () => {
  lab = await startRunLab({ hosts: 1 });
  await lab.runward.worker();
});
afterAll(() => lab.close());

const wait = async (id: string, query: string) =>
  (await lab.api.get<ExecutionView>(`/api/executions/${id}?${query}`)).body;
const printUntilFile = (file: string) => `until [ -e ${lab.evidence}/${file} ]; do echo still here; sleep 0.1; done`;
const release = (file: string) => writeFile(path.join(lab.evidence, file), '');
const running = (id: string) =>
  eventually('the command has printed something', async () => {
    const run = await lab.get(id);
    const { body } = await lab.api.get<{ items: unknown[] }>(`/api/executions/${id}/output?limit=1`);
    return run.steps[0]?.counts.RUNNING === 1 && body.items.length > 0 && run;
  });

describe('waiting until something has changed', () => {
  it('answers as soon as the version exceeds the one that the caller knows', async () => {
    const { id, version } = await lab.start(await lab.plan(['true']));
    expect((await wait(id, `wait=20&until=change&version=${version}`)).version).toBeGreaterThan(version);
    await lab.settled(id);
  });

  it('ignores output and wakes on record changes', async () => {
    const { id } = await lab.start(await lab.plan([printUntilFile('go-on')]));
    const before = await running(id);
    expect([before.hosts[0]?.status, before.summary.hostCounts]).toEqual(['RUNNING', { RUNNING: 1 }]);
    const after = await wait(id, `wait=2&until=change&version=${before.version}`);
    expect(after.lastEventId).toBeGreaterThan(before.lastEventId);
    expect(after).toEqual({ ...before, lastEventId: after.lastEventId });

    const wakeAnswer = wait(id, `wait=30&until=change&version=${before.version}`);
    await release('go-on');
    expect((await wakeAnswer).version).toBeGreaterThan(before.version);
    await lab.settled(id);
  });

  it('wakes at most once per record change while a command prints continuously', async () => {
    const { id } = await lab.start(
      await lab.plan([`i=0; while [ $i -lt 30 ]; do echo $i; sleep 0.1; i=$((i+1)); done`]),
    );
    const seen: string[] = [];
    for (let version = 0, finished = false; !finished; ) {
      const run = await wait(id, `wait=30&until=change&version=${version}`);
      ({ version, finished } = run);
      seen.push(JSON.stringify({ ...run, version: 0, lastEventId: 0 }));
    }
    expect(new Set(seen).size).toBe(seen.length);
  });
});

describe('waiting until the run is finished', () => {
  it('continues through pauses', async () => {
    const planId = await lab.plan([{ key: 'gate', type: 'gate', message: 'Go on?' }, 'true']);
    const { id } = await lab.start(planId);
    await pausedRun(lab, id);
    expect((await wait(id, 'wait=1&until=finished')).status).toBe('PAUSED');
    const finished = wait(id, 'wait=50&until=finished');
    const answer = await lab.api.post(`/api/executions/${id}/decisions`, { stepKey: 'gate', action: 'proceed' });
    expect(answer.status).toBe(200);
    expect((await finished).status).toBe('SUCCEEDED');
  });
});

describe('waiting until the run is settled', () => {
  it('answers at once for a finished run, and after the wait for a running one', async () => {
    const { id: finished } = await lab.run(['true']);
    const { id: running } = await lab.start(await lab.plan([printUntilFile('settle')]));
    const answers: string[] = [];
    await Promise.all(
      [running, finished].map(async (id) => {
        const run = await wait(id, 'wait=5&until=settled');
        answers.push(`${id} ${run.finished}`);
      }),
    );
    expect(answers).toEqual([`${finished} true`, `${running} false`]);
    await release('settle');
    await lab.settled(running);
  });
});

it('refuses a wait that is too long and an unknown condition', async () => {
  const { id } = await lab.start(await lab.plan(['true']));
  for (const query of ['wait=56', 'wait=-1', 'wait=soon', 'until=later', 'version=x'])
    expect((await lab.api.get(`/api/executions/${id}?${query}`)).status).toBe(400);
  await lab.settled(id);
});
