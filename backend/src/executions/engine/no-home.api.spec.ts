import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { type SshHosts, startSshHosts } from '../../../test/support/ssh-hosts.js';

let lab: RunLab;
let hostsWithoutHome: SshHosts;
beforeAll(async () => {
  [lab, hostsWithoutHome] = await Promise.all([
    startRunLab(),
    startSshHosts({ addresses: ['127.0.1.41'], extraConfig: 'SetEnv HOME=/nonexistent' }),
  ]);
  const { sshd, key } = hostsWithoutHome;
  const saved = await lab.api.post<{ id: string }>('/api/ssh-keys', { name: 'homeless', privateKey: key.privateKey });
  await lab.server({
    name: 'homeless',
    hostname: '127.0.1.41',
    port: sshd.port,
    sshKeyId: saved.body.id,
    hostKey: { publicKey: `${sshd.hostKey.type} ${sshd.hostKey.publicKey}` },
  });
});
afterAll(async () => {
  await lab.close();
  await hostsWithoutHome.stop();
});

describe('a host whose login user has no home', () => {
  it('runs each command once, after it is stored that the host has no journal of it', async () => {
    const worker = await lab.runward.worker();
    const mark = (word: string) => `echo ${word} | tee -a ${lab.evidence}/marks`;
    const { id } = await lab.start(await lab.plan([mark('one'), mark('two')], { targets: 'name=homeless' }));
    expect(await lab.settled(id)).toMatchObject({ status: 'SUCCEEDED' });
    expect((await lab.left('marks')).split('\n')).toEqual(['one', 'two', '']);
    expect(await lab.results(id)).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
    expect((await lab.lines(id)).map(({ text }) => text)).toEqual(['one', 'two']);
    const intents = await lab.runward.database.query<{ step_index: number; last: boolean; journaled: boolean | null }>(
      `select d.step_index, d.dispatch_id = r.dispatch_id as last, r.journaled
        from dispatches d join host_results r using (execution_id, step_index, server_id)
        where d.execution_id = $1 order by d.step_index, d.at`,
      [id],
    );
    expect(intents).toEqual([
      { step_index: 0, last: false, journaled: false },
      { step_index: 0, last: true, journaled: false },
      { step_index: 1, last: true, journaled: false },
    ]);
    await worker.stop();
  });
});
