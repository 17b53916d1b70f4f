import { afterAll, describe, expect, it } from '@jest/globals';
import { startSshHosts, type SshHosts } from '../../../test/support/ssh-hosts.js';
import { openConnection } from './ssh-connection.js';

const CONFIG = `
KexAlgorithms diffie-hellman-group-exchange-sha256
RekeyLimit 2M
ClientAliveInterval 1
`;
const MIB = 1024 * 1024;

const started: SshHosts[] = [];
async function start(extraConfig: string): Promise<SshHosts> {
  const hosts = await startSshHosts({ extraConfig });
  started.push(hosts);
  return hosts;
}
afterAll(() => Promise.all(started.map((hosts) => hosts.stop())));

describe('a valid server with unusual settings', () => {
  it('keeps its connection with custom groups, frequent key exchanges, large output and many channels', async () => {
    const connection = await openConnection((await start(CONFIG)).target());
    const run = async (script: string): Promise<{ result: unknown; bytes: number }> => {
      let bytes = 0;
      const command = await connection.exec({ script, onOutput: (_, piece) => void (bytes += piece.length) });
      return { result: await command.result, bytes };
    };
    const exited = { kind: 'exited', exitCode: 0 };
    expect(await run(`head -c ${12 * MIB} /dev/zero`)).toEqual({ result: exited, bytes: 12 * MIB });
    // sshd sends one packet per line if it reads the lines separately.
    expect(await run('n=0; while [ $n -lt 10000 ]; do echo x; n=$((n+1)); done')).toEqual({
      result: exited,
      bytes: 20_000,
    });
    for (let n = 0; n < 30; n += 1) expect(await run('true')).toEqual({ result: exited, bytes: 0 });
    expect({ open: connection.isOpen, fault: connection.fault }).toEqual({ open: true, fault: null });
    connection.end();
    await connection.closed;
  });

  it('keeps its connection when it exchanges keys before each packet above 16 KiB', async () => {
    // sshd compares the size of the next packet with the limit in cipher blocks.
    const connection = await openConnection((await start('RekeyLimit 256K')).target());
    let bytes = 0;
    const command = await connection.exec({
      script: `head -c ${12 * MIB} /dev/zero`,
      onOutput: (_, piece) => void (bytes += piece.length),
    });
    expect({ result: await command.result, bytes }).toEqual({
      result: { kind: 'exited', exitCode: 0 },
      bytes: 12 * MIB,
    });
    connection.end();
    await connection.closed;
  });
});
