import { describe, expect, it } from 'vitest';
import { copyableCommands } from './advice-commands';

describe('what can be copied of an advice', () => {
  it('is the public key to authorize on the host', () => {
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ+/x= runward';
    const advice = `Check the user name; then add this line to ~deploy/.ssh/authorized_keys on the host, where file and folder belong to deploy and only they may write: ${key}`;
    expect(copyableCommands(advice)).toEqual([{ text: key, what: 'key line' }]);
  });

  it.each([
    [
      'Compare it with the key on the host (ssh-keygen -lf /etc/ssh/ssh_host_*_key.pub) and accept it.',
      'ssh-keygen -lf /etc/ssh/ssh_host_*_key.pub',
    ],
    [
      'If steps are to become root, allow sudo without a password (visudo): ada ALL=(root) NOPASSWD: /bin/sh. Other steps need none.',
      'ada ALL=(root) NOPASSWD: /bin/sh',
    ],
    ['Log in by hand and try sudo -n /bin/sh: it may wait for a directory service.', 'sudo -n /bin/sh'],
  ])('is the command or line in “%s”', (advice, text) => {
    expect(copyableCommands(advice).map((each) => each.text)).toEqual([text]);
  });

  it('is nothing where the advice names none', () => {
    expect(copyableCommands('Check the host, the port and the firewalls between Runward and the host.')).toEqual([]);
  });
});
