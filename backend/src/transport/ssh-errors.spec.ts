import { describe, expect, it } from '@jest/globals';
import { toSshError, quoteForeignText, SshError, type SshAttempt } from './ssh-errors.js';

const attempt = (changes: Partial<SshAttempt> = {}): SshAttempt => ({
  host: 'db1.example.org',
  port: 2222,
  username: 'deploy',
  phase: 'handshake',
  timeoutMs: 10_000,
  ...changes,
});
const raw = (message: string, more: object = {}) => Object.assign(new Error(message), more);

describe('a failure to connect', () => {
  it.each([
    ['ENOTFOUND', 'host_not_found'],
    ['EAI_AGAIN', 'host_not_found'],
    ['ECONNREFUSED', 'connection_refused'],
    ['ETIMEDOUT', 'connect_timeout'],
    ['EHOSTUNREACH', 'network_unreachable'],
    ['ENETUNREACH', 'network_unreachable'],
    ['EBADF', 'connection_lost'],
  ])('of the network: %s is %s', (code, expected) => {
    expect(toSshError(raw('x', { code }), attempt({ phase: 'connect' })).code).toBe(expected);
  });

  it.each([
    ['Handshake failed: no matching host key format', { level: 'handshake' }, 'host_key_type_missing'],
    ['Handshake failed: no matching key exchange algorithm', { level: 'handshake' }, 'no_common_algorithm'],
    ['Invalid identification string', {}, 'not_ssh'],
    ['All configured authentication methods failed', { level: 'client-authentication' }, 'login_refused'],
    ['Too many authentication failures', { code: 2 }, 'login_refused'],
    ['read ECONNRESET', { code: 'ECONNRESET', level: 'client-socket' }, 'connection_lost'],
    ['No response from server', { code: 'ETIMEDOUT' }, 'connection_lost'],
    ['Connection lost before handshake', { level: 'protocol' }, 'connection_lost'],
    ['Something new', {}, 'protocol_error'],
  ])('of SSH: %s', (message, more, expected) => {
    expect(toSshError(raw(message, more), attempt()).code).toBe(expected);
  });

  it('is distinguished from a rejected host key and from a cancelled request', () => {
    const key = { type: 'ssh-ed25519', publicKey: 'AAAA', fingerprint: 'SHA256:seen' };
    const denied = raw('Host denied (verification failed)', { level: 'handshake' });
    expect(toSshError(denied, attempt({ rejected: key }))).toMatchObject({
      code: 'host_key_changed',
      seen: key,
    });
    expect(toSshError(denied, attempt({ aborted: true })).code).toBe('aborted');
    expect(toSshError(denied, attempt({ timedOut: true })).code).toBe('handshake_timeout');
  });

  it('is distinguished from a foreign service by its greeting, but not from a busy SSH server', () => {
    const lost = raw('Connection lost before handshake');
    expect(toSshError(lost, attempt({ greeting: '220 mail ESMTP\r\n' })).code).toBe('not_ssh');
    const busy = toSshError(lost, attempt({ greeting: 'Exceeded MaxStartups\r\n' }));
    expect(busy).toMatchObject({ code: 'connection_lost', message: expect.stringContaining('MaxStartups') });
  });

  it('names host, port, and the user where it matters, in plain sentences', () => {
    const refused = toSshError(raw('All configured authentication methods failed'), attempt());
    expect(refused.message).toBe(
      "db1.example.org:2222 refused the login of deploy with this key. Check the user name, and that the public key is in that user's authorized_keys on the host.",
    );
    const closed = toSshError({ code: 'ECONNREFUSED' }, attempt({ host: '::1', phase: 'connect' }));
    expect(closed.message).toMatch(/^\[::1\]:2222 refused the connection\. Check /);
  });

  it('keeps the raw error as its cause, and is not classified twice', () => {
    const cause = raw('read ECONNRESET', { code: 'ECONNRESET' });
    const error = toSshError(cause, attempt());
    expect(error).toBeInstanceOf(SshError);
    expect(error.cause).toBe(cause);
    expect(toSshError(error, attempt({ aborted: true }))).toBe(error);
  });
});

it('text of another machine is cut to one printable line', () => {
  expect(quoteForeignText('\u001b[31mred\u0007\r\nnext\u0000')).toBe('[31mred next');
  expect(quoteForeignText('x'.repeat(500))).toHaveLength(121);
  expect(quoteForeignText(`ab${'😀'.slice(0, 1)}c 😀😀`, 7)).toBe('ab c 😀…');
});
