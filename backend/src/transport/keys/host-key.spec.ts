import { describe, expect, it } from '@jest/globals';
import { computeFingerprint, hostKeyFromBlob, InvalidHostKeyError, parseHostKey } from './host-key.js';

/** Published keys and fingerprints of github.com, as an independent source. */
const ED25519 = 'AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl';
const ECDSA =
  'AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBEmKSENjQEezOmxkZMy7opKgwFB9nkt5YRrYMjNuG5N87uRgg6CLrbo5wAdT/y6v0mKV0U2w0WZ2YB/++Tpockg=';
const PINNED = {
  type: 'ssh-ed25519',
  publicKey: ED25519,
  fingerprint: 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU',
};

describe('a host key', () => {
  it.each([
    ['a public key line', `ssh-ed25519 ${ED25519} root@host`],
    ['a known_hosts line', `github.com,140.82.121.4 ssh-ed25519 ${ED25519}\n`],
    ['base64 alone', `  ${ED25519}\n`],
  ])('is read from %s', (_form, text) => {
    expect(parseHostKey(text)).toEqual(PINNED);
  });

  it('has the fingerprint that ssh-keygen prints', () => {
    expect(parseHostKey(ECDSA).fingerprint).toBe('SHA256:p2QAMXNIC1TJYWeIOttrVc98/R1BUFWu3/LiyKgUfQM');
    expect(computeFingerprint(Buffer.from(ED25519, 'base64'))).toBe(PINNED.fingerprint);
  });

  it('survives conversion to wire format', () => {
    expect(hostKeyFromBlob(Buffer.from(ED25519, 'base64'))).toEqual(PINNED);
  });

  it.each([
    ['nothing', ''],
    ['words', 'not a key'],
    ['a fingerprint', PINNED.fingerprint],
    ['a key that was cut off', `ssh-ed25519 ${ED25519.slice(0, -8)}`],
    ['a key with a part missing', Buffer.from('\0\0\0\x0bssh-ed25519', 'latin1').toString('base64')],
    ['a key of an old type', Buffer.from('\0\0\0\x07ssh-dss\0\0\0\x01x', 'latin1').toString('base64')],
    ['a line whose type is not the key’s', `ssh-rsa ${ED25519}`],
  ])('is not created from %s', (_what, text) => {
    expect(() => parseHostKey(text)).toThrow(InvalidHostKeyError);
  });
});
