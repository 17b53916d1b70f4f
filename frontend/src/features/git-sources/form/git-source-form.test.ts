import { describe, expect, it } from 'vitest';
import type { GitSource } from '../../../api/types';
import { fieldOf, formOf, isSsh, missing, NEW_SOURCE, toCreate, toUpdate } from './git-source-form';

const stored = {
  name: 'plans',
  description: '',
  url: 'https://git.example.com/team/plans.git',
  branch: null,
  credential: { sshKeyId: null, sshKeyName: null, user: 'x-access-token' },
  hostKey: null,
  syncEverySeconds: 300,
  webhook: { path: '/x', configured: true },
} as unknown as GitSource;

describe('the form of a git source', () => {
  it('sends only what differs, and leaves the stored token and secret alone', () => {
    expect(toUpdate(formOf(stored), stored)).toEqual({});
    expect(toUpdate({ ...formOf(stored), branch: ' main ', syncEvery: '' }, stored)).toEqual({
      branch: 'main',
      syncEverySeconds: null,
    });
  });

  it('replaces a token, a key and a secret, and takes them away', () => {
    const form = formOf(stored);
    expect(toUpdate({ ...form, signIn: 'token', token: 'tokentoken', user: 'bot' }, stored)).toEqual({
      credential: { token: 'tokentoken', user: 'bot' },
    });
    expect(toUpdate({ ...form, signIn: 'key', sshKeyId: 'k' }, stored)).toEqual({ credential: { sshKeyId: 'k' } });
    expect(toUpdate({ ...form, signIn: 'none', webhook: 'none' }, stored)).toEqual({
      credential: null,
      webhookSecret: null,
    });
    expect(toUpdate({ ...form, webhook: 'set', webhookSecret: 's'.repeat(20) }, stored)).toEqual({
      webhookSecret: 's'.repeat(20),
    });
  });

  it('takes a host key for ssh only, in all ways to write it', () => {
    for (const url of ['ssh://git@host/x.git', 'git@host:x.git', ' SSH://h/x']) expect(isSsh(url)).toBe(true);
    for (const url of ['https://host/x.git', 'https://user@host:8443/x.git', '']) expect(isSsh(url)).toBe(false);
    const form = { ...NEW_SOURCE, name: 'a', url: 'git@host:x.git', hostKey: 'SHA256:x' };
    expect(toCreate(form)).toMatchObject({ hostKey: { fingerprint: 'SHA256:x' } });
    expect(toCreate({ ...form, url: 'https://host/x.git' })).toMatchObject({ hostKey: null });
  });

  it('says what is missing, and shows what the server says at the field it is about', () => {
    expect(Object.keys(missing({ ...NEW_SOURCE, signIn: 'token', webhook: 'set' }))).toEqual([
      'name',
      'url',
      'token',
      'webhookSecret',
    ]);
    expect(Object.keys(missing({ ...NEW_SOURCE, name: 'a', url: 'b', signIn: 'key' }))).toEqual(['sshKeyId']);
    expect(
      ['credential.sshKeyId', 'credential', 'hostKey.fingerprint', 'syncEverySeconds', 'url', 'x'].map(fieldOf),
    ).toEqual(['sshKeyId', 'token', 'hostKey', 'syncEvery', 'url', null]);
  });
});
