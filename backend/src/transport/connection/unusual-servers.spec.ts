import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSshHosts, type SshHosts } from '../../../test/support/ssh-hosts.js';
import { openConnection } from './ssh-connection.js';

/** Settings of honest servers that cost a client more than usual. */
const CONFIG = `
KexAlgorithms diffie-hellman-group-exchange-sha256
RekeyLimit 2M
ClientAliveInterval 1
`;
const MIB = 1024 * 1024;

let hosts: SshHosts;
beforeAll(async () => {
  hosts = await startSshHosts({ extraConfig: CONFIG });
});
afterAll(() => hosts.stop());

describe('an honest server with unusual settings', () => {
  it('keeps its connection: key exchanges by a group of its own, often, large output and many channels', async () => {
    const connection = await openConnection(hosts.target());
    const run = async (script: string): Promise<{ result: unknown; bytes: number }> => {
      let bytes = 0;
      const command = await connection.exec({ script, onOutput: (_, piece) => void (bytes += piece.length) });
      return { result: await command.result, bytes };
    };
    const exited = { kind: 'exited', exitCode: 0 };
    expect(await run(`head -c ${12 * MIB} /dev/zero`)).toEqual({ result: exited, bytes: 12 * MIB });
    // One line a packet, as far as sshd sees them singly.
    expect(await run('n=0; while [ $n -lt 10000 ]; do echo x; n=$((n+1)); done')).toEqual({
      result: exited,
      bytes: 20_000,
    });
    for (let n = 0; n < 30; n += 1) expect(await run('true')).toEqual({ result: exited, bytes: 0 });
    expect({ open: connection.isOpen, fault: connection.fault }).toEqual({ open: true, fault: null });
    connection.end();
    await connection.closed;
  });
});
