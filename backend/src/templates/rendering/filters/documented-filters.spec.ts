import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { COMMAND_FILTERS } from '../../../plans/rendering/command-engine.js';
import answerRequest from '../template-thread.js';
import { TEMPLATE_FILTERS } from './known-filters.js';
import { SECRET_FILTERS } from './secret-value.js';

const PAGE = readFileSync(fileURLToPath(new URL('../../../../../docs/templates.md', import.meta.url)), 'utf8');
const LIMITS = { renderMs: 1000, memory: 2_000_000, length: 262_144, jobMs: 250, jobLength: 2_000_000 };
const VALUES = { port: 8080, hosts: ['a', 'b'], net: '192.0.2.7/24', data: '{"b": [1, 2], "a": {"x": "y"}}' };

const rows = PAGE.split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => {
    const [names = '', example = '', result = ''] = line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|').replaceAll('⏎', '\n'));
    return {
      names: names.split(' ').map((name) => name.slice(1, -1)),
      example: example.slice(1, -1),
      result: result.slice(1, -1),
    };
  });

function rendered(content: string): unknown {
  const scopes = [{ values: VALUES, facts: {}, secrets: {}, masked: false }];
  const found = answerRequest({ content, scopes, marksUnknownNames: false, limits: LIMITS });
  return found.ok ? found.files[0] : found.fault;
}

function named(beginning: string): string[] {
  const from = PAGE.indexOf(beginning) + beginning.length;
  const sentence = PAGE.slice(from, PAGE.indexOf('.', from));
  return [...sentence.matchAll(/`(\w+)`/g)].flatMap(([, name]) => name ?? []);
}

describe('docs/templates.md', () => {
  it('has an example of every filter, and of no other', () => {
    expect(rows.flatMap(({ names }) => names).sort()).toEqual([...TEMPLATE_FILTERS]);
  });

  it.each(rows)('shows the actual result of $example', ({ names, example, result }) => {
    for (const name of names) expect(example).toMatch(new RegExp(`\\| ${name}\\b`));
    expect(rendered(example)).toEqual({ text: result });
  });

  it('lists the filters of commands and those that accept secrets', () => {
    expect(named('Only these filters are available there:').sort()).toEqual([...COMMAND_FILTERS].sort());
    expect(named('with one of the filters').sort()).toEqual([...SECRET_FILTERS].sort());
  });
});
