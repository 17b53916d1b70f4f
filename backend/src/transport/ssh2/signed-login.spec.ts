import { afterEach, describe, expect, it } from '@jest/globals';
import { startSshHosts, type SshHosts } from '../../../test/support/ssh-hosts.js';
import { openConnection, type SshConnection } from '../connection/ssh-connection.js';
import { generateKeyPair } from '../keys/key-material.js';

let hosts: SshHosts | undefined;
let connection: SshConnection | undefined;
afterEach(async () => {
  connection?.end();
  await hosts?.stop();
});

const start = async (extraConfig = '') => {
  hosts = await startSshHosts({ addresses: ['127.0.1.23'], extraConfig: `LogLevel VERBOSE\n${extraConfig}` });
  return hosts;
};
const loginsIn = (log: string) => log.match(/^(Postponed|Accepted|Failed) publickey/gm) ?? [];

describe('public key login', () => {
  it.each([
    ['ed25519', ''],
    ['ecdsa', ''],
    ['rsa', ''],
    ['rsa', 'PubkeyAcceptedAlgorithms rsa-sha2-256'],
  ] as const)('with a key of type %s takes one request (%s)', async (type, extraConfig) => {
    const host = await start(extraConfig);
    const key = await generateKeyPair({ type, comment: 'test' });
    await host.sshd.addAuthorizedKey(key.publicKey);
    connection = await openConnection(host.target({ privateKey: key.privateKey }));
    expect(loginsIn(await host.log())).toEqual(['Accepted publickey']);
  });

  it('is reported as refused after one request if the host does not know the key', async () => {
    const host = await start();
    const { privateKey } = await generateKeyPair({ type: 'ed25519', comment: 'test' });
    await expect(openConnection(host.target({ privateKey }))).rejects.toMatchObject({ code: 'login_refused' });
    expect(loginsIn(await host.log())).toEqual(['Failed publickey']);
  });
});
