import { describe, expect, it } from '@jest/globals';
import { type SshHosts, startSshHosts } from '../../../test/support/ssh-hosts.js';
import type { SshError } from '../ssh-errors.js';
import { scanHostKey } from './host-key-scan.js';
import { openConnection } from './ssh-connection.js';

type Options = NonNullable<Parameters<typeof startSshHosts>[0]>;

/** Null `scan`: it succeeded. */
async function refusals(options: Options): Promise<{ login: SshError; scan: SshError | null; hosts: SshHosts }> {
  const hosts = await startSshHosts(options);
  try {
    const { host, port } = hosts.target();
    const failure = (work: Promise<unknown>) =>
      work.then(
        () => null,
        (error: SshError) => error,
      );
    const login = await failure(openConnection(hosts.target()));
    if (!login) throw new Error('The login succeeded.');
    return { login, scan: await failure(scanHostKey(host, port)), hosts };
  } finally {
    await hosts.stop();
  }
}

describe('a host that requires more than a key', () => {
  it.each(['keyboard-interactive', 'password'])('is reported with its second factor: %s', async (method) => {
    const { login, hosts } = await refusals({
      extraConfig: `KbdInteractiveAuthentication yes\nPasswordAuthentication yes\nAuthenticationMethods publickey,${method}`,
    });
    const { user } = hosts.sshd;
    expect(login).toMatchObject({ code: 'second_factor_required' });
    expect(login.message).toContain(`accepted the key of ${user} and demands ${method} as well`);
    expect(login.message).toContain(`Match User ${user}, AuthenticationMethods publickey`);
    expect(login.message).not.toContain('authorized_keys');
  });

  it('is reported with the methods that it requires if it accepts no keys', async () => {
    const { login } = await refusals({ extraConfig: 'PasswordAuthentication yes\nPubkeyAuthentication no' });
    expect(login).toMatchObject({ code: 'login_refused', message: expect.stringContaining('it demands password') });
  });
});

describe('a host with old algorithms only', () => {
  it('is reported with the signature algorithm of its RSA host key', async () => {
    const { login, scan } = await refusals({ hostKeyType: 'rsa', extraConfig: 'HostKeyAlgorithms ssh-rsa' });
    for (const error of [login, scan]) {
      expect(error).toMatchObject({ code: 'no_common_algorithm' });
      expect(error?.message).toContain('offers its RSA host key only with the old signature ssh-rsa (SHA-1)');
    }
    // Without the setting, the scanned host is not a registered server.
    expect(scan?.message).not.toContain('legacy');
  });

  it.each([
    ['KexAlgorithms', 'diffie-hellman-group1-sha1,diffie-hellman-group14-sha1', 'key exchange', 'curve25519-sha256'],
    ['Ciphers', 'aes128-cbc,3des-cbc', 'cipher', 'aes128-gcm@openssh.com'],
    ['MACs', 'hmac-md5,umac-64@openssh.com', 'MAC', 'hmac-sha2-256'],
  ])('is reported with both lists: %s %s', async (option, names, what, taken) => {
    const ciphers = option === 'MACs' ? '\nCiphers aes128-ctr' : '';
    const { login, scan } = await refusals({ extraConfig: `${option} ${names}${ciphers}` });
    for (const error of [login, scan]) {
      expect(error).toMatchObject({ code: 'no_common_algorithm' });
      expect(error?.message).toContain(`no ${what} in common. It offers ${names.replaceAll(',', ', ')}; Runward uses`);
      expect(error?.message).toContain(taken);
    }
  });
});

describe('a server that allows legacy algorithms', () => {
  const signIn = async (hosts: SshHosts, legacyAlgorithms: boolean) => {
    const connection = await openConnection(hosts.target({ legacyAlgorithms }));
    const { result } = await connection.exec({ script: 'true', onOutput: () => undefined });
    const outcome = await result;
    connection.end();
    return { outcome, used: connection.legacyAlgorithmsUsed };
  };
  const exited = { kind: 'exited', exitCode: 0 };

  it.each([
    ['HostKeyAlgorithms', 'ssh-rsa'],
    ['KexAlgorithms', 'diffie-hellman-group1-sha1'],
    ['KexAlgorithms', 'diffie-hellman-group14-sha1'],
    ['KexAlgorithms', 'diffie-hellman-group-exchange-sha1'],
    ['Ciphers', 'aes128-cbc'],
    ['Ciphers', 'aes192-cbc'],
    ['Ciphers', 'aes256-cbc'],
    ['Ciphers', '3des-cbc'],
    ['MACs', 'hmac-md5'],
    ['MACs', 'hmac-sha1-96'],
  ])(
    'signs in to a host that offers only %s %s and reports it; without the setting, the error names the setting',
    async (option, name) => {
      const extraConfig = `${option} ${name}${option === 'MACs' ? '\nCiphers aes128-ctr' : ''}`;
      const hosts = await startSshHosts({ hostKeyType: 'rsa', extraConfig });
      try {
        const { host, port } = hosts.target();
        const refused = {
          code: 'no_common_algorithm',
          message: expect.stringContaining('allow legacy algorithms for it'),
        };
        await expect(openConnection(hosts.target({ legacyAlgorithms: false }))).rejects.toMatchObject(refused);
        await expect(scanHostKey(host, port, { legacyAlgorithms: false })).rejects.toMatchObject(refused);
        expect(await scanHostKey(host, port, { legacyAlgorithms: true })).toEqual(hosts.sshd.hostKeyOf(''));
        expect(await signIn(hosts, true)).toEqual({ outcome: exited, used: [name] });
      } finally {
        await hosts.stop();
      }
    },
  );

  it('uses no legacy algorithm if the host offers a modern one of each kind, even as its last choice', async () => {
    const extraConfig = `HostKeyAlgorithms ssh-rsa,rsa-sha2-256
KexAlgorithms diffie-hellman-group1-sha1,diffie-hellman-group14-sha1,diffie-hellman-group18-sha512
Ciphers 3des-cbc,aes128-cbc,aes256-ctr
MACs hmac-md5,hmac-sha1-96,hmac-sha2-512`;
    const hosts = await startSshHosts({ hostKeyType: 'rsa', extraConfig });
    try {
      expect(await signIn(hosts, true)).toEqual({ outcome: exited, used: [] });
    } finally {
      await hosts.stop();
    }
  });

  it('does not suggest the setting when another kind has no common algorithm either', async () => {
    const hosts = await startSshHosts({
      extraConfig: 'KexAlgorithms diffie-hellman-group14-sha1\nCiphers aes128-ctr\nMACs umac-64@openssh.com',
    });
    try {
      const error = await openConnection(hosts.target({ legacyAlgorithms: false })).catch((each: SshError) => each);
      expect(error).toMatchObject({ code: 'no_common_algorithm' });
      expect((error as SshError).message).not.toContain('legacy');
    } finally {
      await hosts.stop();
    }
  });
});
