import { describe, expect, it } from '@jest/globals';
import { textReader } from '../../../../../test/support/inventory-texts.js';

const { read, hosts, faults, message } = textReader('json');
const written = (value: unknown) => JSON.stringify(value, null, 1);

const FULL_SERVER = {
  externalId: 'i-1',
  name: 'web-1',
  hostname: '10.0.0.1',
  port: 22,
  username: 'deploy',
  enabled: false,
  tags: { role: 'web' },
  variables: { level: 1, zones: ['a', 'b'], flag: true, text: '{{ kept }}' },
  hostKey: { publicKey: 'ssh-ed25519 AAAA' },
  jumps: [{ host: 'gw', port: 2222, username: 'u' }, { host: 'inner' }],
};

describe('a list of servers in JSON', () => {
  it('reads every field, at the top level and below "servers"', () => {
    const { hostKey, jumps, ...plain } = FULL_SERVER;
    const expected = {
      ...plain,
      line: 2,
      hostKey,
      jumps: [jumps[0], { host: 'inner', port: null, username: null }],
    };
    expect(read(written([FULL_SERVER])).hosts).toEqual([expected]);
    expect(read(written({ servers: [FULL_SERVER] })).hosts).toEqual([{ ...expected, line: 3 }]);
  });

  it('uses the name as address where there is none, and leaves missing fields undefined', () => {
    expect(read('[{"name": "web-1"}]').hosts).toEqual([{ line: 1, name: 'web-1' }]);
  });

  it('distinguishes an empty list of jump hosts from a missing one', () => {
    expect(hosts('[{"name": "a", "jumps": []}]')['a']?.jumps).toEqual([]);
  });

  it.each([
    ['[{"name": "a",\n"hostnme": "b"}]', '2 a unknown_field', 'Did you mean "hostname"?'],
    ['[{"name": "a", "shoe_size": 1}]', '1 a unknown_field', 'Known fields are name, externalId'],
    ['{"servers": [{"name": "a"}], "more": 1}', '1 null unknown_field', 'The field "more" is not supported.'],
    ['[{"hostname": "a"}]', '1 entry 1 missing_field', 'needs a "name"'],
    ['[{"name": 5}]', '1 entry 1 wrong_type', '"name" must be a text, not a number.'],
    ['[{"name": ""}]', '1 entry 1 bad_value', '1 to 100 characters'],
    ['["a"]', '1 entry 1 wrong_type', 'entry 1 is a text'],
    ['[{"name": "a", "port": "22"}]', '1 a wrong_type', 'a whole number from 1 to 65535, not a text'],
    ['[{"name": "a", "port": 0}]', '1 a wrong_type', 'from 1 to 65535'],
    ['[{"name": "a", "port": null}]', '1 a wrong_type', 'not nothing'],
    ['[{"name": "a", "enabled": "yes"}]', '1 a wrong_type', 'true or false'],
    ['[{"name": "a", "tags": ["x"]}]', '1 a wrong_type', '"tags" must be an object'],
    ['[{"name": "a", "tags": {"x": 1}}]', '1 a bad_tag', 'The tag "x"'],
    ['[{"name": "a", "tags": {"-x": "1"}}]', '1 a bad_tag', 'The tag "-x"'],
    ['[{"name": "a", "variables": {"x": {"y": 1}}}]', '1 a bad_variable', 'The variable "x" must be'],
    ['[{"name": "a", "variables": {"x": null}}]', '1 a bad_variable', 'The variable "x" must be'],
    ['[{"name": "a", "variables": {"x": 1e999}}]', '1 a bad_variable', 'The variable "x" must be'],
    ['[{"name": "a", "variables": {"x-y": 1}}]', '1 a bad_variable', 'The variable "x-y"'],
    ['[{"name": "a", "hostKey": "ssh-ed25519 A"}]', '1 a wrong_type', 'an object with "publicKey" or "fingerprint"'],
    ['[{"name": "a", "hostKey": {}}]', '1 a missing_field', 'needs a "publicKey" or a "fingerprint"'],
    ['[{"name": "a", "jumps": [{"port": 22}]}]', '1 a missing_field', '"jumps[0]" needs a "host"'],
    ['[{"name": "a", "jumps": ["gw"]}]', '1 a wrong_type', '"jumps[0]" must be an object'],
    ['[{"name": "a", "name": "b"}]', '1 null duplicate_field', '"name" occurs twice'],
    ['{"name": "a"}', '1 null unknown_field', 'The field "name" is not supported.'],
    ['5', '1 null wrong_format', 'Send a list of servers'],
    ['[{"name": "a"},]', '1 null invalid_json', 'remove the comma before it'],
    ['[{"name": "a"}\n', '2 null invalid_json', 'Close the list'],
    ['[] // none', '1 null invalid_json', 'Remove the comment'],
    ['[]', 'null null no_hosts', 'Send a list of servers'],
    ['', 'null null no_hosts', 'Send a list of servers'],
  ])('names line and entry of a fault: %j', (text, place, advice) => {
    expect(faults(text)[0]).toBe(place);
    expect(message(text)).toContain(advice);
  });

  it('rejects a duplicate name or external id, and names both places', () => {
    const text = written([
      { name: 'a', externalId: '1' },
      { name: 'b' },
      { name: 'a' },
      { name: 'c', externalId: '1' },
    ]);
    expect(read(text).faults.map(({ code, message: said }) => [code, said])).toEqual([
      ['duplicate_entry', 'Servers 1 and 3 of the list have the same name, "a".'],
      ['duplicate_entry', 'Servers 1 and 4 of the list have the same externalId, "1".'],
    ]);
  });

  it.each(['__proto__', 'constructor', 'toString'])('rejects the name %s for fields, tags and variables', (name) => {
    expect(faults(`[{"name": "a", "${name}": {"x": 1}}]`)).toEqual(['1 a unknown_field']);
    expect(faults(`[{"name": "a", "tags": {"${name}": "x"}}]`)).toEqual(['1 a bad_tag']);
    expect(faults(`[{"name": "a", "variables": {"${name}": "x"}}]`)).toEqual(['1 a bad_variable']);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('never repeats a value', () => {
    const text = '[{"name": "a", "variables": {"x": {"y": "hunter2"}}, "port": "hunter2", "enabled": "hunter2"}]';
    expect(faults(text)).toHaveLength(3);
    expect(JSON.stringify(read(text))).not.toContain('hunter2');
    expect(JSON.stringify(read('[{"name": hunter2}]'))).not.toContain('hunter2');
  });
});
