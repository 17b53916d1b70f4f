import { describe, expect, it } from '@jest/globals';
import { type SshHosts, startSshHosts } from '../../../test/support/ssh-hosts.js';
import type { SshError } from '../ssh-errors.js';
import { scanHostKey } from './host-key-scan.js';
import { openConnection } from './ssh-connection.js';

type Options = NonNullable<Parameters<typeof startSshHosts>[0]>;

/** How a host with this configuration refuses a login, and a look at its host key where that is refused too. */
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

describe('a host that a key alone does not open', () => {
  it.each(['keyboard-interactive', 'password'])('is named with its second factor: %s', async (method) => {
    const { login, hosts } = await refusals({
      extraConfig: `KbdInteractiveAuthentication yes\nPasswordAuthentication yes\nAuthenticationMethods publickey,${method}`,
    });
    const { user } = hosts.sshd;
    expect(login).toMatchObject({ code: 'second_factor_required' });
    expect(login.message).toContain(`accepted the key of ${user} and demands ${method} as well`);
    expect(login.message).toContain(`Match User ${user}, AuthenticationMethods publickey`);
    expect(login.message).not.toContain('authorized_keys');
  });

  it('is named with what it demands where it accepts no keys', async () => {
    const { login } = await refusals({ extraConfig: 'PasswordAuthentication yes\nPubkeyAuthentication no' });
    expect(login).toMatchObject({ code: 'login_refused', message: expect.stringContaining('it demands password') });
  });
});

describe('a host with old algorithms only', () => {
  it('is named with the signature of its RSA host key', async () => {
    const { login, scan } = await refusals({ hostKeyType: 'rsa', extraConfig: 'HostKeyAlgorithms ssh-rsa' });
    for (const error of [login, scan]) {
      expect(error).toMatchObject({ code: 'no_common_algorithm' });
      expect(error?.message).toContain('offers its RSA host key only with the old signature ssh-rsa (SHA-1)');
    }
  });

  it.each([
    ['KexAlgorithms', 'diffie-hellman-group1-sha1,diffie-hellman-group14-sha1', 'key exchange', 'curve25519-sha256'],
    ['Ciphers', 'aes128-cbc,3des-cbc', 'cipher', 'AES-GCM'],
    ['MACs', 'hmac-md5,umac-64@openssh.com', 'MAC', 'HMAC-SHA-2'],
  ])('is named with both lists: %s %s', async (option, names, what, taken) => {
    const ciphers = option === 'MACs' ? '\nCiphers aes128-ctr' : '';
    const { login, scan } = await refusals({ extraConfig: `${option} ${names}${ciphers}` });
    for (const error of [login, scan]) {
      expect(error).toMatchObject({ code: 'no_common_algorithm' });
      expect(error?.message).toContain(`no ${what} in common. It offers ${names.replaceAll(',', ', ')}; Runward uses`);
      expect(error?.message).toContain(taken);
    }
  });
});
