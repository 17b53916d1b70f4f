import { chown, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { type KeyHosts, startKeyHosts } from '../../../test/support/key-hosts.js';
import { labWorkers } from '../../../test/support/lab-workers.js';
import { isAlive } from '../../../test/support/processes.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';

const ADDRESS = '127.0.1.51';

let lab: RunLab;
let odd: KeyHosts;
let planId: string;
const { work, endWorkers } = labWorkers(() => lab.runward);

beforeAll(async () => {
  const forcedCommand = 'ForceCommand exec bash -c "$SSH_ORIGINAL_COMMAND"';
  [lab, odd] = await Promise.all([startRunLab(), startKeyHosts([ADDRESS], { extraConfig: forcedCommand })]);
  const { key, sshd } = odd.hosts;
  const imported = await lab.api.post<{ id: string }>('/api/ssh-keys', { name: 'odd', privateKey: key.privateKey });
  const { type, publicKey } = sshd.hostKeyOf(ADDRESS);
  const hostKey = { publicKey: `${type} ${publicKey}` };
  await lab.server({ name: 'odd', hostname: ADDRESS, port: sshd.port, hostKey, sshKeyId: imported.body.id });
  planId = await lab.plan([`echo x >>${lab.evidence}/count; exit 3`], { targets: 'name=odd' });
});
afterAll(async () => {
  await endWorkers();
  await lab.close();
  await odd.stop();
});

async function startUp(text: string): Promise<void> {
  const file = path.join(odd.home(ADDRESS), '.bashrc');
  await writeFile(file, text);
  const { uid, gid } = await stat(odd.home(ADDRESS));
  await chown(file, uid, gid);
}
const waitingShell = () => startUp(`echo $$ >>${lab.evidence}/shells; exec zsh -f\n`);
const shells = async () => (await lab.left('shells')).split('\n').filter(Boolean).map(Number);
const result = async (id: string) => (await lab.results(id))[0];
const guards = () => lab.runward.database.query('select key from guard_keys', []);

describe('a host whose login shell becomes another shell, which reads its input', () => {
  it('reports this by name in each run, and never runs the command', async () => {
    await work();
    await startUp('echo "moving on"; exec zsh -fc :\n');
    const messages: string[] = [];
    for (let run = 0; run < 2; run += 1) {
      const { id, status } = await lab.settled((await lab.start(planId)).id);
      expect(status).toBe('FAILED');
      expect(await result(id)).toMatchObject({
        status: 'FAILED',
        reason: { code: 'exec_refused' },
        exitCode: null,
        attempts: 0,
      });
      messages.push((await result(id))?.reason?.text ?? '');
      expect(await guards()).toEqual([]);
    }
    expect(messages[0]).toBe(messages[1]);
    expect(messages[0]).toMatch(/was not started.*nothing of it was sent.*~\/\.bashrc.*"moving on"/);
    expect(await lab.left('count')).toBe('');
  });

  it('is cancelled immediately, before the command was started', async () => {
    await waitingShell();
    const { id } = await lab.start(planId);
    const [shell] = await eventually('the shell waits', async () => ((await shells()).length === 1 ? shells() : null));
    expect((await lab.api.post(`/api/executions/${id}/cancel`)).status).toBe(200);
    expect((await lab.settled(id)).status).toBe('CANCELLED');
    expect((await result(id))?.reason?.text).toBe('The run was cancelled before the command was started here.');
    await eventually('the shell has ended', async () => !(await isAlive(shell ?? 0)));
    expect(await lab.left('count')).toBe('');
  });

  it('leaves nothing unknown when its worker ends during the start: the next worker starts the command once', async () => {
    await waitingShell();
    const { id } = await lab.start(planId);
    await eventually('the shell waits', async () => (await shells()).length === 2);
    await endWorkers();
    await startUp('');
    await work();
    await lab.settled(id);
    expect(await result(id)).toMatchObject({
      status: 'FAILED',
      reason: { code: 'exit_code' },
      exitCode: 3,
      attempts: 1,
    });
    expect(await lab.left('count')).toBe('x\n');
  });
});
