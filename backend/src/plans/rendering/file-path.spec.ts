import { describe, expect, it } from '@jest/globals';
import { checkFilePath, findFilePathNeeds, renderFilePath } from './file-path.js';
import type { CommandValue } from './render-command.js';

const value = (name: string, given: string, secret = false): CommandValue => ({
  name,
  secret,
  value: given,
});
const values = [value('item', 'web'), value('token', 'hidden', true)];
const facts = { host: { name: 'web-1', tags: { role: 'api' }, facts: {} }, steps: {} };
const codes = (text: string) => checkFilePath(text, values, '/path', []).map(({ code }) => code);

describe('path of a written file', () => {
  it.each([
    ['/etc/app.conf', []],
    ['/etc/{{ item }}.conf', []],
    ['{{ item }}', []],
    ['/etc/{{ host.name }}/{{ item | upcase }}', []],
    ['', ['required']],
    ['etc/app.conf', ['invalid_path']],
    ['/etc/', ['invalid_path']],
    ['/etc/../shadow', ['invalid_path']],
    ['etc/{{ item }}', ['invalid_path']],
    [`/${'x'.repeat(4096)}{{ item }}`, ['invalid_path']],
    ['/etc/{{ nobody }}', ['unknown_variable']],
    ['/etc/{{ token }}', ['secret_in_argument']],
    ['/etc/{{ item', ['invalid_template']],
  ])('is validated without values: %s', (text, expected) => {
    expect(codes(text)).toEqual(expected);
  });

  it('rejects secrets, because paths are visible', () => {
    expect(checkFilePath('/etc/{{ token }}', values, '', [])[0]?.message).toContain('file names are visible');
  });

  it('inserts values and facts of the host without quotes', () => {
    expect(renderFilePath('/etc/{{ item }}/{{ host.name }}.conf', [value('item', "it's")], facts)).toBe(
      "/etc/it's/web-1.conf",
    );
    expect(findFilePathNeeds('/etc/{{ host.name }}', values)).toEqual({ host: true, steps: false });
    expect(findFilePathNeeds('/etc/{{ steps.build.outputs.id }}', values)).toEqual({ host: false, steps: true });
    expect(findFilePathNeeds('/etc/app.conf', values)).toEqual({ host: false, steps: false });
  });

  it.each(['../shadow', 'a/../../shadow', '.', 'a\nb', 'a/', ''])(
    'is refused if a value leads to another path: %j',
    (given) => {
      const render = () => renderFilePath('/etc/{{ item }}', [value('item', given)]);
      expect(render).toThrow('which is not the whole path of a file on the host');
    },
  );

  it('is unchanged without insertions', () => {
    expect(renderFilePath('/etc/app.conf', [])).toBe('/etc/app.conf');
  });
});
