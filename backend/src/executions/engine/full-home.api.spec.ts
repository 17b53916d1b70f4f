import { rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { type FullHome, makeFullHome } from '../../../test/support/full-home.js';
import { endSessions } from '../../../test/support/host-sessions.js';
import { type LabServer, type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { type SshHosts, startSshHosts } from '../../../test/support/ssh-hosts.js';

let lab: RunLab;
let full: FullHome;
let host: SshHosts;
let server: LabServer;

beforeAll(async () => {
  lab = await startRunLab();
  full = makeFullHome();
  host = await startSshHosts({ addresses: ['127.0.1.9'], extraConfig: `SetEnv HOME=${full.home}` });
  await host.sshd.addAuthorizedKey(lab.hosts.key.publicKey);
  const [hostname] = host.sshd.addresses;
  const { user: username, port } = host.sshd;
  server = await lab.server({ name: 'full', hostname, port, username, hostKey: host.hostKey() });
  await lab.runward.worker();
});
afterAll(async () => {
  await host?.stop();
  full?.remove();
  await lab?.close();
});

const onHost = () => ({ targets: 'name=full' });
const journaled = async (id: string) => {
  const rows = await lab.runward.database.query<{ journaled: boolean | null }>(
    'select journaled from host_results where execution_id = $1 order by step_index',
    [id],
  );
  return rows.map((row) => row.journaled);
};
const auditOf = async (id: string) => {
  const where = `/api/audit-logs?resourceId=${id}&action=execution.start_without_journal`;
  return (await lab.api.get<{ items: { after: unknown }[] }>(where)).body.items.map(({ after }) => after);
};

describe('a host whose home has no space left', () => {
  it('runs the command that frees space, once and without a journal, and the next one with a journal', async () => {
    const steps = [`echo one >> ${lab.evidence}/ran; rm -f ~/big.log; echo freed`, 'echo next'];
    const { id, status } = await lab.run(steps, onHost());
    const [first, next] = await lab.results(id);
    expect(first).toMatchObject({ status: 'SUCCEEDED', attempts: 1, exitCode: 0 });
    expect(first?.reason?.text).toMatch(/home directory is full.* ran without a journal.* UNKNOWN/);
    expect(next).toMatchObject({ status: 'SUCCEEDED', reason: null });
    expect(status).toBe('SUCCEEDED');
    expect(await lab.text(id, server.id)).toBe('freed\n');
    expect(await lab.left('ran')).toBe('one\n');
    expect(await journaled(id)).toEqual([false, true]);
    expect(await auditOf(id)).toEqual([{ stepKey: 'step-1', serverIds: [server.id], reason: 'home_full' }]);
  });

  it('leaves the result UNKNOWN when the connection is lost during the command, and starts nothing again', async () => {
    full.fill();
    const command = `echo one >> ${lab.evidence}/cut; until [ -e ${lab.evidence}/go ]; do sleep 0.05; done`;
    const { id } = await lab.start(await lab.plan([command], onHost()));
    await eventually('it runs', async () => (await lab.results(id))[0]?.status === 'RUNNING');
    await endSessions(host.sshd.pids);
    expect(await lab.settled(id)).toMatchObject({ status: 'INTERRUPTED' });
    await writeFile(`${lab.evidence}/go`, '');
    const [result] = await lab.results(id);
    expect(result).toMatchObject({ status: 'UNKNOWN', reason: { code: 'connection_lost' }, attempts: 1 });
    expect(result?.reason?.text).toContain('ran without a journal');
    // The host could keep a journal now, but the command ran without one.
    await rm(full.big);
    const body = { stepKey: 'step-1', action: 'check' };
    await lab.api.post(`/api/executions/${id}/hosts/${server.id}/resolve`, body);
    const finding = await eventually('it was checked', async () => (await lab.results(id))[0]?.check?.reason);
    expect(finding.code).toBe('journal_gone');
    expect(await lab.left('cut')).toBe('one\n');
  });
});
