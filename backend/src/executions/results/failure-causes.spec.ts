import { describe, expect, it } from '@jest/globals';
import { type Failure, FailureGroups, findLastLine, MAX_CAUSES, toPattern } from './failure-causes.js';

function groupFailures(failures: readonly Failure[]) {
  const groups = new FailureGroups();
  groups.add(failures.slice(0, 1));
  groups.add(failures.slice(1));
  return groups.toView();
}

const failureOn = (serverName: string, more: Partial<Failure> = {}): Failure => ({
  stepIndex: 0,
  stepKey: 'migrate',
  serverId: `id-${serverName}`,
  serverName,
  hostname: `${serverName}.example.org`,
  status: 'FAILED',
  exitCode: 3,
  code: 'exit_code',
  message: 'The command ended with exit code 3: see its output.',
  stderr: null,
  stdout: null,
  ...more,
});
const printing = (text: string) => ({ stderr: Buffer.from(text) });
const summary = (failures: Failure[]) =>
  groupFailures(failures).items.map(({ text, serverIds }) => [text, serverIds.length]);

describe('the causes of failures', () => {
  it('are the same where only numbers, addresses and host names differ', () => {
    const failures = ['web-1', 'web-20', 'db-7.eu'].map((name, index) =>
      failureOn(
        name,
        printing(`psql: ${name}.example.org (10.0.${index}.17:5432), ${name}: refused after ${index} s\n`),
      ),
    );
    expect(summary(failures)).toEqual([['psql: … (…), …: refused after … s', 3]]);
  });

  it('keep the exact text where the hosts do not differ', () => {
    const same = printing('E: 12 packages are held back\n');
    expect(summary([failureOn('web-1', same), failureOn('web-2', same)])).toEqual([
      ['E: 12 packages are held back', 2],
    ]);
  });

  it('differ by step, status, exit code and reason', () => {
    const causes = groupFailures([
      failureOn('a'),
      failureOn('b', { stepKey: 'link', stepIndex: 1 }),
      failureOn('c', { exitCode: 4 }),
      failureOn('d', { status: 'TIMED_OUT', code: 'step_timed_out' }),
      failureOn('e', { code: 'command_not_found' }),
    ]).items;
    expect(new Set(causes.map(({ key }) => key)).size).toBe(5);
  });

  it('have the same key in another run', () => {
    const keyOf = (name: string, second: number) =>
      groupFailures([failureOn(name, printing(`timeout after ${second} s`))]).items[0]?.key;
    expect(keyOf('web-1', 5)).toBe(keyOf('web-2', 9));
  });

  it('with most hosts come first, then those of earlier steps', () => {
    const causes = groupFailures([
      failureOn('a', { stepKey: 'link', stepIndex: 1 }),
      failureOn('b', { exitCode: 4 }),
      failureOn('c', { exitCode: 5 }),
      failureOn('d', { exitCode: 5 }),
    ]).items;
    expect(causes.map(({ stepKey, exitCode }) => [stepKey, exitCode])).toEqual([
      ['migrate', 5],
      ['migrate', 4],
      ['link', 3],
    ]);
    expect(causes[0]).toMatchObject({ firstHost: { serverName: 'c' }, serverIds: ['id-c', 'id-d'] });
  });

  it('are counted beyond the largest number in an answer', () => {
    const letters = (index: number) => String.fromCodePoint(0x4e00 + index);
    const { items, moreCauses, moreFailures } = groupFailures(
      Array.from({ length: 10_000 }, (_, index) => failureOn(`host-${index}`, printing(`message ${letters(index)}`))),
    );
    expect([items.length, moreCauses, moreFailures]).toEqual([MAX_CAUSES, 9_900, 9_900]);
  });

  it('use the text of the reason if it says more than the output', () => {
    const slow = { message: 'The command ran longer than the step’s limit of 5 s.', ...printing('working\n') };
    const [cause] = groupFailures([failureOn('a', { status: 'TIMED_OUT', code: 'step_timed_out', ...slow })]).items;
    expect(cause?.text).toBe('The command ran longer than the step’s limit of 5 s.');
    expect(groupFailures([failureOn('a', { message: null, code: null })]).items[0]?.text).toBeNull();
  });

  it('use the output if there is no error output', () => {
    expect(summary([failureOn('a', { stdout: Buffer.from('no space left\n\n') })])).toEqual([['no space left', 1]]);
  });
});

describe('the last line of an output', () => {
  it.each([
    ['one\ntwo\n', 'two'],
    ['one\r\ntwo\r\n\r\n', 'two'],
    ['10 %\r 50 %\rdone: 3 errors\r\n', 'done: 3 errors'],
    ['\u001b[31mERROR\u001b[0m disk\tfull\u0000\n', 'ERROR disk full'],
    ['\u001b[31m\n \n', null],
    [`${'x'.repeat(299)}😀y\n`, `${'x'.repeat(299)}😀`],
  ])('%j is %j', (output, line) => {
    expect(findLastLine(Buffer.from(output))).toBe(line);
  });
});

describe('the pattern of a text', () => {
  const of = (text: string, serverName = 'web-1', hostname = '10.0.0.7') => toPattern(text, { serverName, hostname });

  it('replaces IDs, hexadecimal numbers and times, and keeps words', () => {
    expect(of('2026-11-28T10:20:30.5Z request 5f1c0a9e3b7d at 0xfe, facade deadbeef')).toBe(
      '…Z request … at …, facade deadbeef',
    );
  });

  it('replaces a host name only as a whole word', () => {
    expect(of('web-1: web-12, my-web-1, web-1.example.org')).toBe('…: web-…, my-web-…, ….example.org');
  });

  it('takes no longer than its text allows for long runs of digits and names', () => {
    const text = '1:'.repeat(150);
    expect(of(text)).toBe('…:');
    expect(of('a'.repeat(300), 'aa', 'aaa')).toBe('a'.repeat(300));
  });
});
