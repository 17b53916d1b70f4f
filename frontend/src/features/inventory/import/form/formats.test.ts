import { describe, expect, it } from 'vitest';
import { guessFormat } from './formats';

const INI = '[web]\nweb-[1:3] ansible_user=deploy\n';
const YAML = '---\nall:\n  hosts:\n    web-1:\n';
const ANSIBLE_JSON = '{"_meta": {"hostvars": {}}, "web": {"hosts": ["web-1"]}}';
const SSH = 'Host web-1\n  HostName 10.0.0.1\n  User deploy\n';
const LIST = '[{"name": "web-1"}]';

describe('the format of a text', () => {
  it.each([
    ['ansible-ini', INI],
    ['ansible-ini', '# ours\nweb-1 ansible_host=10.0.0.1\n'],
    ['ansible-yaml', YAML],
    ['ansible-yaml', 'all: # ours\n  children:\n    web:\n'],
    ['ansible-json', ANSIBLE_JSON],
    ['ansible-json', '{"web": {"hosts": ["web-1"]}}'],
    ['ssh-config', SSH],
    ['json', LIST],
    ['json', '\n[\n]\n'],
    ['json', '{"servers": [{"name": "web-1", "hostname": "10.0.0.1"}]}'],
  ])('is %s by its content', (format, content) => {
    expect(guessFormat(content)).toBe(format);
  });

  it.each([
    ['ansible-ini', 'hosts'],
    ['ansible-ini', 'staging.ini'],
    ['ansible-yaml', 'inventory.yml'],
    ['ansible-yaml', 'Hosts.YAML'],
    ['ssh-config', 'config'],
    ['ssh-config', 'ssh_config'],
    ['json', 'servers.json'],
  ])('is %s by the name %s', (format, name) => {
    expect(guessFormat('web-1\n', name)).toBe(format);
  });

  it('is by its content what its name leaves open', () => {
    expect(guessFormat(ANSIBLE_JSON, 'inventory.json')).toBe('ansible-json');
    expect(guessFormat(LIST, 'servers.json')).toBe('json');
    expect(guessFormat(YAML, 'hosts')).toBe('ansible-yaml');
    expect(guessFormat(SSH, 'servers.txt')).toBe('ssh-config');
  });

  it('is unknown without distinctive content', () => {
    expect(guessFormat('web-1\nweb-2\n')).toBeNull();
    expect(guessFormat('')).toBeNull();
    expect(guessFormat('hello', 'notes.txt')).toBeNull();
  });
});
