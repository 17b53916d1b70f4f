import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { endSessions } from '../../../test/support/host-sessions.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { startWorkerProcess } from '../../../test/support/worker-process.js';
import { journalFolder } from './journal-entries.js';

/** A host that forgets everything, as one does whose home is in memory and that was restarted. */
let lab: RunLab;
beforeAll(async () => {
  lab = await startRunLab();
});
afterAll(() => lab.close());

const begun = async (file: string) => (await lab.left(file)).split('\n').filter(Boolean);

/** Starts a run whose command is running, by what is stored, on a host that has lost its journal since. */
async function forgottenRun(file: string): Promise<string> {
  const command = `echo "$HOME" >> ${lab.evidence}/${file}; until [ -e ${lab.evidence}/${file}-go ]; do sleep 0.05; done`;
  const { id } = await lab.start(await lab.plan([command]));
  await eventually('it runs', async () => (await lab.results(id))[0]?.status === 'RUNNING');
  const [home] = await eventually('it tells where its home is', async () => {
    const lines = await begun(file);
    return lines.length > 0 && lines;
  });
  const folder = journalFolder(id, lab.servers[0]?.id ?? '');
  await rm(path.join(home ?? '', '.runward', folder), { recursive: true });
  return id;
}

async function notStartedAgain(id: string, file: string): Promise<void> {
  const ended = await eventually('it is over', async () => {
    const run = await lab.get(id);
    return (run.finished || (await begun(file)).length > 1) && run;
  });
  await writeFile(`${lab.evidence}/${file}-go`, '');
  expect(await begun(file)).toHaveLength(1);
  expect(ended).toMatchObject({ status: 'INTERRUPTED' });
  expect((await lab.results(id))[0]).toMatchObject({ status: 'UNKNOWN', code: 'journal_gone', attempts: 1 });
  expect((await lab.results(id))[0]?.message).toContain('Look on the host');
  await lab.api.post(`/api/executions/${id}/hosts/${lab.servers[0]?.id}/resolve`, {
    stepKey: 'step-1',
    action: 'mark_failed',
  });
}

describe('a command that was seen to start, on a host that knows nothing of it any more', () => {
  it('is UNKNOWN after a lost connection, and never started again by itself', async () => {
    const worker = await lab.runward.worker();
    const id = await forgottenRun('cut');
    await endSessions(lab.hosts.sshd.pid);
    await notStartedAgain(id, 'cut');
    await worker.stop();
  });

  it('is so after a lost worker too', async () => {
    const first = await startWorkerProcess(lab.runward, {});
    const id = await forgottenRun('killed');
    await first.end('SIGKILL');
    await lab.runward.database.query(`update executions set lease_until = now() - interval '1 second' where id = $1`, [
      id,
    ]);
    const worker = await lab.runward.worker();
    await notStartedAgain(id, 'killed');
    await worker.stop();
  });
});
