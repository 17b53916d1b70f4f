import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { evidenceIn } from '../../../test/support/evidence.js';
import { labWorkers } from '../../../test/support/lab-workers.js';
import { type LabPlan, type LabStep, type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { ExecutionView } from '../contract/execution.view.js';
import { openConnection } from '../../transport/connection/ssh-connection.js';
import { toJournalFolderId } from './connections/journal-entries.js';

let lab: RunLab;
let strangerKey: string;

const { work, endWorkers: stopAll } = labWorkers(() => lab.runward);
const { marks, untilExists, allow } = evidenceIn(() => lab);
const one: LabPlan = { targets: 'name=web-1' };
const mark = (file: string) => `echo x >> ${lab.evidence}/${file}`;
const useKey = (id: string, keyId: string) =>
  lab.runward.database.query('update execution_hosts set ssh_key_id = $2 where execution_id = $1', [id, keyId]);
const result = async (id: string) => (await lab.results(id))[0];
const resolve = (id: string, body: object) =>
  lab.api.post(`/api/executions/${id}/hosts/${lab.servers[0]?.id}/resolve`, { stepKey: 'step-1', ...body });
const guards = () => lab.runward.database.query<{ key: string }>('select key from guard_keys', []);

const answered = (id: string) =>
  eventually('the host was asked', async () => {
    const check = (await result(id))?.check;
    return check && !check.pending ? check : null;
  });

async function interrupted(command: string, file: string): Promise<string> {
  const first = await work();
  const { id } = await lab.start(await lab.plan([command], one));
  await eventually('it has begun', async () => (await marks(file)).length === 1);
  await first.stop();
  await useKey(id, strangerKey);
  await work({ recoverySeconds: 1 });
  expect((await lab.settled(id)).status).toBe('INTERRUPTED');
  await stopAll();
  await useKey(id, lab.keyId);
  await work();
  return id;
}

async function left(step: LabStep, file: string): Promise<{ id: string; folder: string }> {
  const first = await work();
  const { id } = await lab.start(await lab.plan([step], one));
  await eventually('it has begun', async () => (await marks(file)).length === 1);
  await eventually('that is stored', async () => (await result(id))?.status === 'RUNNING');
  await first.stop();
  return { id, folder: `$HOME/.runward/${toJournalFolderId(id, lab.servers[0]?.id ?? '')}` };
}
const beside = async (script: string) => {
  const connection = await openConnection(lab.hosts.target());
  const command = await connection.exec({ script, onOutput: () => undefined });
  expect(await command.result).toMatchObject({ kind: 'exited', exitCode: 0 });
  connection.end();
};

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
  const stranger = await lab.api.post<{ id: string }>('/api/ssh-keys', {
    name: 'stranger',
    generate: { type: 'ed25519' },
  });
  strangerKey = stranger.body.id;
});
afterEach(async () => {
  await stopAll();
  await lab.runward.database.query('delete from guard_keys', []);
});
afterAll(() => lab.close());

describe('a host that could not be asked in time', () => {
  it('has an UNKNOWN result and keeps its guard until a repeated check finds the end of the command', async () => {
    const id = await interrupted(`${mark('again')}; ${untilExists('again-go')}; ${mark('again-end')}; exit 0`, 'again');
    expect(await result(id)).toMatchObject({ status: 'UNKNOWN', reason: { code: 'unreachable' }, resolution: null });
    expect(await guards()).toHaveLength(1);
    expect((await resolve(id, { action: 'check' })).status).toBe(200);
    expect(await answered(id)).toMatchObject({
      reason: { code: 'still_running', text: expect.stringContaining('still runs on the host') },
      askedBy: { id: lab.admin.userId, name: expect.stringMatching(/^Admin/) },
      at: expect.stringMatching(/Z$/),
    });
    expect((await lab.get(id)).unknownHosts[0]?.check).toEqual((await result(id))?.check);
    expect(await guards()).toHaveLength(1);
    await allow('again-go');
    await eventually('it has ended', async () => (await marks('again-end')).length === 1);
    expect((await resolve(id, { action: 'check' })).status).toBe(200);
    const settled = await eventually('the result was found', async () => {
      const now = await result(id);
      return now?.resolution?.kind ? now : null;
    });
    expect(settled).toMatchObject({ status: 'UNKNOWN', exitCode: 0, resolution: { kind: 'found_succeeded' } });
    expect(await guards()).toEqual([]);
    const audit = await lab.runward.database.query<{ after: unknown }>(
      `select after from audit_entries where action = 'execution.host_checked'`,
      [],
    );
    expect(audit).toHaveLength(2);
    expect(await marks('again')).toHaveLength(1);
  });

  it('shows why a check failed and when, until the next check replaces it', async () => {
    const id = await interrupted(`${mark('far')}; ${untilExists('far-go')}; ${mark('far-end')}`, 'far');
    await useKey(id, strangerKey);
    await resolve(id, { action: 'check' });
    const far = await answered(id);
    expect(far).toMatchObject({ reason: { code: 'unreachable', text: expect.stringContaining('key') } });
    await useKey(id, lab.keyId);
    const [kept] = await lab.runward.database.query<{ sealed_secrets: Buffer | null }>(
      'select sealed_secrets from executions where id = $1',
      [id],
    );
    const seal = (secrets: Buffer | null) =>
      lab.runward.database.query('update executions set sealed_secrets = $2 where id = $1', [id, secrets]);
    await seal(Buffer.from('no secrets that anybody could open'));
    const { body } = await resolve(id, { action: 'check' });
    expect((body as ExecutionView).unknownHosts[0]?.check).toMatchObject({
      pending: true,
      reason: { code: 'unreachable' },
    });
    const fault = await answered(id);
    expect(fault).toMatchObject({
      reason: { code: 'internal_error', text: expect.stringContaining('Internal error') },
    });
    await seal(kept?.sealed_secrets ?? null);
    expect((await lab.get(id)).unknownHosts).toHaveLength(1);
    await allow('far-go');
    await eventually('it has ended', async () => (await marks('far-end')).length === 1);
    await resolve(id, { action: 'check' });
    expect(await answered(id)).toMatchObject({ reason: { code: 'command_succeeded' } });
  });

  it('cannot report a result after losing its journal', async () => {
    const id = await interrupted(`${mark('lose')}; ${untilExists('lose-go')}`, 'lose');
    await beside(`rm -rf $HOME/.runward/${toJournalFolderId(id, lab.servers[0]?.id ?? '')}`);
    await allow('lose-go');
    await resolve(id, { action: 'check' });
    expect((await answered(id)).reason?.code).toBe('journal_gone');
    expect((await result(id))?.resolution).toBeNull();
  });

  it('is found to have failed, with its exit code', async () => {
    const id = await interrupted(`${mark('bad')}; ${untilExists('bad-go')}; ${mark('bad-end')}; exit 7`, 'bad');
    await allow('bad-go');
    await eventually('it has ended', async () => (await marks('bad-end')).length === 1);
    await resolve(id, { action: 'check' });
    await eventually('the result was found', async () => (await result(id))?.resolution);
    expect(await result(id)).toMatchObject({ exitCode: 7, resolution: { kind: 'found_failed' } });
  });
});

describe('a command that disappeared without an exit status', () => {
  const kill = (folder: string) =>
    `for f in ${folder}/*.sup ${folder}/*.pid; do read -r pid rest <$f; kill -9 $pid; kill -9 -$pid; done 2>/dev/null; true`;

  it('is UNKNOWN, with the advice to check the host', async () => {
    const { id, folder } = await left({ command: `${mark('dead')}; sleep 300` }, 'dead');
    await beside(kill(folder));
    await work();
    expect((await lab.settled(id)).status).toBe('INTERRUPTED');
    expect(await result(id)).toMatchObject({
      status: 'UNKNOWN',
      reason: { code: 'command_vanished' },
      exitCode: null,
      attempts: 1,
    });
    expect(await marks('dead')).toHaveLength(1);
  });

  it('is started again automatically when the step is idempotent', async () => {
    const command = `${mark('idem')}; [ "$RUNWARD_ATTEMPT" = 2 ] || sleep 300`;
    const { id, folder } = await left({ command, idempotent: true }, 'idem');
    await beside(kill(folder));
    await work();
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect(await result(id)).toMatchObject({ status: 'SUCCEEDED', attempts: 2 });
    expect(await marks('idem')).toHaveLength(2);
  });

  it('is UNKNOWN and not started twice when the journal of a started command is gone', async () => {
    const { id, folder } = await left({ command: `${mark('wiped')}; ${untilExists('wiped-go')}` }, 'wiped');
    await beside(`rm -rf ${folder}`);
    await work();
    expect((await lab.settled(id)).status).toBe('INTERRUPTED');
    await allow('wiped-go');
    expect(await result(id)).toMatchObject({ status: 'UNKNOWN', reason: { code: 'journal_gone' }, attempts: 1 });
    expect(await marks('wiped')).toHaveLength(1);
  });

  it('has a separate code when the host was rebooted', async () => {
    const { id, folder } = await left({ command: `${mark('boot')}; sleep 300` }, 'boot');
    await beside(
      `${kill(folder)}; for f in ${folder}/*.pid; do read -r pid start boot <$f; echo "$pid $start other-boot" >$f; done`,
    );
    await work();
    expect((await lab.settled(id)).status).toBe('INTERRUPTED');
    expect(await result(id)).toMatchObject({ status: 'UNKNOWN', reason: { code: 'host_rebooted' } });
  });
});
