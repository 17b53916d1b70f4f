import { afterEach, describe, expect, it } from '@jest/globals';
import { type Answer, flood, type HostileHost, startHostileHost } from '../../test/support/hostile-host.js';
import { generateKeyPair } from './keys/key-material.js';
import type { SshError } from './ssh-errors.js';
import { openConnection, type SshConnection } from './connection/ssh-connection.js';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

async function connect(answer: Answer, options?: Parameters<typeof startHostileHost>[1]): Promise<SshConnection> {
  const host: HostileHost = await startHostileHost(answer, options);
  cleanUp.push(() => host.stop());
  const { privateKey } = await generateKeyPair({ type: 'ed25519', comment: 'test' });
  const target = {
    host: '127.0.0.1',
    port: host.port,
    username: 'x',
    privateKey,
    hostKeys: [host.hostKey],
    legacyAlgorithms: false,
  };
  const connection = await openConnection(target);
  cleanUp.push(() => connection.end());
  return connection;
}

const begin: Answer = (channel, nonce) => void channel.write(`${nonce} 4242 plain\n`);

describe('a compromised host', () => {
  // With packets of 0 bytes ssh2 would loop forever, and so would this test.
  it('cannot make the worker send input in packets of one byte or none', async () => {
    const connection = await connect(begin, { packetSize: 1 });
    const command = await connection.exec({ script: 'true', onOutput: () => undefined });
    expect(await command.result).toEqual({
      kind: 'refused',
      unsent: true,
      message: expect.stringContaining('packets of 1 bytes'),
    });
    expect(await connection.probe({ url: 'http://localhost/' }, { timeoutMs: 5_000 })).toMatchObject({
      answered: false,
    });
  });

  it('cannot fill the memory of a worker that stopped reading: it is disconnected', async () => {
    const connection = await connect((channel, nonce, input) => {
      void begin(channel, nonce, input);
      const piece = Buffer.alloc(10_007, 'x');
      for (let sent = 0; sent < 512; sent += 1) flood(channel, piece);
    });
    await connection.exec({ script: 'true', onOutput: () => new Promise(() => undefined) });
    await connection.closed;
    expect(connection.isOpen).toBe(false);
  });

  it('cannot enable compression of its data', async () => {
    const refused = connect(begin, { compress: ['zlib@openssh.com', 'zlib'] }).then(
      () => 'connected',
      (error: SshError) => error.code,
    );
    expect(await refused).toBe('no_common_algorithm');
  });
});
