import { KeyObject } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startSshHosts, type SshHosts } from '../../../test/support/ssh-hosts.js';
import { openConnection, type SshConnection } from '../connection/ssh-connection.js';

const BYTES = 1_000_000;

let hosts: SshHosts | undefined;
let connection: SshConnection | undefined;
afterEach(async () => {
  connection?.end();
  await hosts?.stop();
});

type Keys = { _encKey?: unknown; _decipherKey?: unknown; _macKey?: unknown };
function keysInUse(of: SshConnection): unknown[] {
  const { _cipher, _decipher } = (of as unknown as { client: { _protocol: Record<'_cipher' | '_decipher', Keys> } })
    .client._protocol;
  return [_cipher, _decipher].flatMap((side) => [side._encKey, side._decipherKey, side._macKey]).filter(Boolean);
}

async function bytesFrom(of: SshConnection): Promise<number> {
  let count = 0;
  const command = await of.exec({
    script: `head -c ${BYTES} /dev/zero`,
    onStarted: () => undefined,
    onOutput: (_, bytes) => void (count += bytes.length),
  });
  expect(await command.result).toEqual({ kind: 'exited', exitCode: 0 });
  return count;
}

describe('connection keys', () => {
  it.each([
    ['aes128-gcm@openssh.com', '', 2],
    ['aes256-ctr', 'MACs hmac-sha2-256-etm@openssh.com', 2],
    ['aes256-ctr', 'MACs hmac-sha2-512', 2],
    ['chacha20-poly1305@openssh.com', '', 0],
  ])('are prepared for %s, also after a key re-exchange (%s)', async (cipher, macs, prepared) => {
    hosts = await startSshHosts({
      addresses: ['127.0.1.21'],
      extraConfig: `Ciphers ${cipher}\nRekeyLimit 64K\n${macs}`,
    });
    connection = await openConnection(hosts.target());
    const first = keysInUse(connection);
    expect(first.map((key) => key instanceof KeyObject)).toEqual(Array(prepared).fill(true));
    expect(await bytesFrom(connection)).toBeGreaterThanOrEqual(BYTES);
    const later = keysInUse(connection);
    expect(later.map((key) => key instanceof KeyObject)).toEqual(Array(prepared).fill(true));
    for (const [index, key] of later.entries())
      expect((key as KeyObject).equals(first[index] as KeyObject)).toBe(false);
  });
});
