import { expect, it } from '@jest/globals';
import { formatTable } from './table.ts';
import { formatAge, formatTime, parseTime } from './times.ts';
import { toYaml } from './yaml.ts';

it('times show their offset from UTC and their distance from now', () => {
  const now = Date.parse('2026-11-28T12:00:00Z');
  const ages = ['2026-11-28T11:59:30Z', '2026-11-28T11:00:30Z', '2026-11-27T12:00:00Z', '2026-11-01T12:00:00Z'];
  expect(ages.map((at) => formatAge(at, now))).toEqual(['30 s ago', '59 min ago', '24 h ago', '27 d ago']);
  expect([formatAge('2026-11-28T14:00:00Z', now), formatAge(null, now)]).toEqual(['in 2 h', '–']);
  expect(formatTime('2026-11-28T12:00:00Z')).toMatch(/^2026-11-2\d \d\d:\d\d [+-]\d\d:\d\d$/);
  expect(formatTime('later')).toBe('later');
});

it('times need a zone, or are a distance from now', () => {
  expect(parseTime('2026-12-01T02:00:00+01:00')).toBe('2026-12-01T01:00:00.000Z');
  expect(Date.parse(parseTime('2h', -1))).toBeLessThan(Date.now() - 7_000_000);
  expect(() => parseTime('2026-12-01T02:00:00')).toThrow(/with its zone/);
});

it('columns line up with wide characters', () => {
  expect(
    formatTable(
      ['name', 'state'],
      [
        ['漢字', 'ok'],
        ['web', 'ok'],
        ['🚀', 'ok'],
      ],
    ),
  ).toEqual(['NAME  STATE', '漢字  ok', 'web   ok', '🚀    ok']);
});

it('YAML quotes each text that would be read as something else', () => {
  const value = {
    a: ['yes', '1', 'a: b', 'two words', '', 'x\ny', '#x', '- x'],
    b: [[1, { c: null }], []],
    'k: y': {},
    u: undefined,
  };
  expect(toYaml(value)).toBe(
    [
      ...[
        'a:',
        '  - "yes"',
        '  - "1"',
        '  - "a: b"',
        '  - two words',
        '  - ""',
        '  - "x\\ny"',
        '  - "#x"',
        '  - "- x"',
      ],
      ...['b:', '  - - 1', '    - c: null', '  - []', '"k: y": {}', ''],
    ].join('\n'),
  );
});
