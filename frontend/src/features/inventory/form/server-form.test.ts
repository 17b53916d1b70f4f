import { describe, expect, it } from 'vitest';
import { formOf, missingChoices, toRequest } from './server-form';

const form = { ...formOf(null), name: 'web-1', hostname: ' web-1.example ', username: ' deploy ', sshKeyId: 'k' };

describe('a server in its form', () => {
  it('begins with port 22, enabled, in the environment that the list shows', () => {
    expect(formOf(null, 'e1')).toMatchObject({
      port: 22,
      enabled: true,
      legacyAlgorithms: false,
      loginTimeoutSeconds: '',
      environmentId: 'e1',
      tags: [],
      sshKeyId: null,
    });
  });

  it('is sent without spaces around, and without a port and a key that were left empty', () => {
    expect(toRequest({ ...form, port: '', hostKey: ' \n' })).toEqual({
      name: 'web-1',
      hostname: 'web-1.example',
      username: 'deploy',
      sshKeyId: 'k',
      environmentId: '',
      jumpServerId: null,
      tags: {},
      legacyAlgorithms: false,
      loginTimeoutSeconds: null,
      enabled: true,
    });
  });

  it('sends tags with and without a value, split at the first equals sign', () => {
    expect(toRequest({ ...form, tags: ['role=web', ' legacy ', 'query = a=b', 'empty='] }).tags).toEqual({
      role: 'web',
      legacy: '',
      query: 'a=b',
      empty: '',
    });
  });

  it('names choices that are missing', () => {
    expect(Object.keys(missingChoices(formOf(null)))).toEqual(['sshKeyId', 'environmentId']);
    expect(missingChoices({ ...form, environmentId: 'e1' })).toEqual({});
  });
});
