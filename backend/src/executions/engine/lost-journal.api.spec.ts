import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { endSessions } from '../../../test/support/host-sessions.js';
import { type LabStep, type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { startWorkerProcess } from '../../../test/support/worker-process.js';
import { toJournalFolderId } from './connections/journal-entries.js';

let lab: RunLab;
beforeAll(async () => {
  lab = await startRunLab();
});
afterAll(() => lab.close());

const hostOf = (id: string) => `/api/executions/${id}/hosts/${lab.servers[0]?.id}`;
const begun = async (file: string) => (await lab.left(file)).split('\n').filter(Boolean);

/** Starts a run on a host that has lost its journal. The database still records the command as running. */
async function forgottenRun(file: string, step: LabStep = {}): Promise<string> {
  const command = `echo "$HOME" >> ${lab.evidence}/${file}; until [ -e ${lab.evidence}/${file}-go ]; do sleep 0.05; done`;
  const { id } = await lab.start(await lab.plan([{ command, ...step }]));
  await eventually('it runs', async () => (await lab.results(id))[0]?.status === 'RUNNING');
  const [home] = await eventually('it reports its home', async () => {
    const lines = await begun(file);
    return lines.length > 0 && lines;
  });
  const folder = toJournalFolderId(id, lab.servers[0]?.id ?? '');
  await rm(path.join(home ?? '', '.runward', folder), { recursive: true });
  return id;
}

async function expectNotStartedAgain(id: string, file: string, code = 'journal_gone'): Promise<void> {
  const ended = await eventually('it is over', async () => {
    const run = await lab.get(id);
    return (run.finished || (await begun(file)).length > 1) && run;
  });
  await writeFile(`${lab.evidence}/${file}-go`, '');
  expect(await begun(file)).toHaveLength(1);
  expect(ended).toMatchObject({ status: 'INTERRUPTED' });
  expect((await lab.results(id))[0]).toMatchObject({ status: 'UNKNOWN', reason: { code }, attempts: 1 });
  expect((await lab.results(id))[0]?.reason?.text).toContain('Check the host');
  await lab.api.post(`${hostOf(id)}/resolve`, {
    stepKey: 'step-1',
    action: 'mark_failed',
  });
}

describe('a command that was seen to start, on a host that no longer knows it', () => {
  it('is UNKNOWN after a lost connection, and never restarted automatically', async () => {
    const worker = await lab.runward.worker();
    const id = await forgottenRun('cut');
    await endSessions(lab.hosts.sshd.pids);
    await expectNotStartedAgain(id, 'cut');
    await worker.stop();
  });

  it('is UNKNOWN after a lost worker too', async () => {
    const first = await startWorkerProcess(lab.runward, {});
    const id = await forgottenRun('killed');
    await first.end('SIGKILL');
    await lab.runward.database.query(`update executions set lease_until = now() - interval '1 second' where id = $1`, [
      id,
    ]);
    const worker = await lab.runward.worker();
    await expectNotStartedAgain(id, 'killed');
    await worker.stop();
  });
});

describe('a command whose start was not seen, on a host that booted after the intent and does not know it', () => {
  /**
   * Starts a run whose worker is killed before it can store the start of the command. The test then moves everything to
   * before the boot of the host.
   */
  async function unseenRun(file: string, step: LabStep = {}): Promise<string> {
    const first = await startWorkerProcess(lab.runward, {});
    const id = await forgottenRun(file, step);
    await first.end('SIGKILL');
    const { database } = lab.runward;
    await database.query(
      `update host_results set status = 'CONNECTING', journaled = null, command_started_at = null where execution_id = $1`,
      [id],
    );
    await database.query(`update dispatches set at = at - interval '100 years' where execution_id = $1`, [id]);
    await database.query(`update executions set lease_until = now() - interval '1 second' where id = $1`, [id]);
    return id;
  }

  it('is UNKNOWN, and never restarted automatically', async () => {
    const id = await unseenRun('unseen');
    const worker = await lab.runward.worker();
    await expectNotStartedAgain(id, 'unseen', 'start_unknown');
    expect((await lab.results(id))[0]?.reason?.text).toContain('booted after');
    await worker.stop();
  });

  it('cannot be distinguished by a check from one that never started', async () => {
    const id = await unseenRun('asked');
    const worker = await lab.runward.worker();
    await eventually('it is over', async () => (await lab.get(id)).finished);
    await lab.api.post(`${hostOf(id)}/resolve`, { stepKey: 'step-1', action: 'check' });
    const check = await eventually('it was asked', async () => {
      return (await lab.results(id))[0]?.check?.reason;
    });
    expect(check).toEqual({ code: 'journal_gone', text: expect.stringContaining('booted after') });
    await expectNotStartedAgain(id, 'asked', 'start_unknown');
    await worker.stop();
  });

  it('is restarted automatically where the step declares this harmless', async () => {
    const id = await unseenRun('harmless', { idempotent: true });
    const worker = await lab.runward.worker();
    await eventually('it began again', async () => (await begun('harmless')).length > 1);
    await writeFile(`${lab.evidence}/harmless-go`, '');
    expect(await lab.settled(id)).toMatchObject({ status: 'SUCCEEDED' });
    expect((await lab.results(id))[0]).toMatchObject({ status: 'SUCCEEDED', attempts: 2 });
    expect(await begun('harmless')).toHaveLength(2);
    await worker.stop();
  });
});
