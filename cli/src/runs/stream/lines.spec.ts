import { expect, it } from '@jest/globals';
import { OutputLineAssembler } from './lines.ts';

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
const format = (lines: { serverId: string; text: string }[]) =>
  lines.map(({ serverId, text }) => `${serverId}:${text}`);

it('assembles lines from parts mixed with those of other hosts', () => {
  const parts = new OutputLineAssembler();
  expect(format(parts.add(part('a', 1, 'first ', true)))).toEqual([]);
  expect(format(parts.add(part('b', 1, 'other')))).toEqual(['b:other']);
  expect(format(parts.add(part('a', 2, 'err', false, 'stderr')))).toEqual(['a:err']);
  expect(format(parts.add(part('a', 1, 'half', true)))).toEqual([]);
  expect(format(parts.add(part('a', 1, ' end')))).toEqual(['a:first half end']);
});

it('returns an unfinished line when another begins, when its host ends, and when it is too long', () => {
  const parts = new OutputLineAssembler();
  parts.add(part('a', 1, 'no end', true));
  expect(format(parts.add(part('a', 2, 'next')))).toEqual(['a:no end', 'a:next']);
  parts.add(part('a', 3, 'prompt> ', true));
  parts.add(part('b', 1, 'last', true));
  expect(format(parts.end('a', 'one'))).toEqual(['a:prompt> ']);
  expect(format(parts.end())).toEqual(['b:last']);
  expect(format(parts.end())).toEqual([]);
  expect(parts.add(part('a', 4, 'x'.repeat(70_000), true))).toHaveLength(1);
});
