import { describe, expect, it } from 'vitest';
import { authorizeCommand } from './authorize-command';

describe('the command that authorizes a key', () => {
  it('appends the key with a umask that keeps others out', () => {
    expect(authorizeCommand('ssh-ed25519 AAAA ana')).toBe(
      `umask 077; mkdir -p ~/.ssh && echo 'ssh-ed25519 AAAA ana' >> ~/.ssh/authorized_keys`,
    );
  });

  it('can’t be ended by a quote in the comment of the key', () => {
    expect(authorizeCommand(`ssh-ed25519 AAAA '; rm -rf ~; '`)).toBe(
      `umask 077; mkdir -p ~/.ssh && echo 'ssh-ed25519 AAAA ; rm -rf ~; ' >> ~/.ssh/authorized_keys`,
    );
  });
});
