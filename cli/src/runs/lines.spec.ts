import { expect, it } from '@jest/globals';
import { LineParts } from './lines.ts';

const part = (
  serverId: string,
  line: number,
  text: string,
  partial = false,
  stream: 'stdout' | 'stderr' = 'stdout',
) => ({
  ...{ serverId, line, text, partial, stream },
  ...{ stepKey: 'one', continues: false, at: '' },
});
const told = (lines: { serverId: string; text: string }[]) => lines.map(({ serverId, text }) => `${serverId}:${text}`);

it('lines that come in parts, mixed with those of other hosts, are told whole', () => {
  const parts = new LineParts();
  expect(told(parts.add(part('a', 1, 'first ', true)))).toEqual([]);
  expect(told(parts.add(part('b', 1, 'other')))).toEqual(['b:other']);
  expect(told(parts.add(part('a', 2, 'err', false, 'stderr')))).toEqual(['a:err']);
  expect(told(parts.add(part('a', 1, 'half', true)))).toEqual([]);
  expect(told(parts.add(part('a', 1, ' end')))).toEqual(['a:first half end']);
});

it('a line without an end is told when another begins, when its host is done, and when it grows too long', () => {
  const parts = new LineParts();
  parts.add(part('a', 1, 'no end', true));
  expect(told(parts.add(part('a', 2, 'next')))).toEqual(['a:no end', 'a:next']);
  parts.add(part('a', 3, 'prompt> ', true));
  parts.add(part('b', 1, 'last', true));
  expect(told(parts.end('a', 'one'))).toEqual(['a:prompt> ']);
  expect(told(parts.end())).toEqual(['b:last']);
  expect(told(parts.end())).toEqual([]);
  expect(parts.add(part('a', 4, 'x'.repeat(70_000), true))).toHaveLength(1);
});
