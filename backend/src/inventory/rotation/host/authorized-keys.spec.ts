import { describe, expect, it } from '@jest/globals';
import { parseAuthorizedKey, findKeyLines, createMissingLines } from './authorized-keys.js';

const OLD = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMt05s1X old key';
const NEW = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8nQx7b new key';
const [type = '', blob = ''] = OLD.split(' ');
const lines = (text: string) => findKeyLines(Buffer.from(text, 'latin1'), parseAuthorizedKey(OLD));
const missing = (text: string) =>
  createMissingLines(Buffer.from(text, 'latin1'), parseAuthorizedKey(OLD), NEW)?.toString('latin1');

describe('the lines of a key', () => {
  it.each([
    ['alone', OLD, ''],
    ['without a comment', `${type} ${blob}`, ''],
    ['after blanks and with tabs', ` \t${type}\t${blob}\tx`, ''],
    ['with a Windows line ending', `${OLD}\r`, ''],
    ['with options', `no-pty,from="10.0.0.0/8" ${OLD}`, 'no-pty,from="10.0.0.0/8"'],
    ['with blanks and quotes in options', `command="say \\"a b\\" #c" ${OLD}`, 'command="say \\"a b\\" #c"'],
    ['with bytes that are not UTF-8', `environment="A=\xff\xe9" ${OLD}`, 'environment="A=\xff\xe9"'],
  ])('are found %s', (_, line, options) => {
    expect(lines(`# first\n${line}\nlast`)).toEqual([{ number: 2, options }]);
  });

  it.each([
    ['in a comment', `# ${OLD}`],
    ['in quotes of another line', `command="${OLD}" ${NEW}`],
    ['as the comment of another key', `${NEW} ${OLD}`],
    ['under another type', `ssh-rsa ${blob}`],
    ['as the beginning of a longer key', `${type} ${blob}AAAA`],
    ['with open quotes before them', `command="x ${OLD}`],
  ])('are not found %s', (_, line) => {
    expect(lines(line)).toEqual([]);
  });
});

describe('the missing lines of a new key', () => {
  it('have each set of options of the old key that the new key lacks', () => {
    expect(missing(`${OLD}\n`)).toBe(NEW);
    expect(missing(`no-pty ${OLD}\n${OLD}\n${OLD}\n`)).toBe(`no-pty ${NEW}\n${NEW}`);
    expect(missing(`no-pty ${OLD}\n${OLD}\nno-pty ${NEW}`)).toBe(NEW);
    expect(missing(`${OLD}\n${NEW}\n`)).toBeUndefined();
    expect(missing('')).toBeUndefined();
  });
});
