import { describe, expect, it } from '@jest/globals';
import { longestGap } from '../../../test/support/longest-gap.js';
import { checkPlanContentInTurns, MAX_PROBLEMS } from '../checks/check-plan-content.js';
import { countInsertions } from './fields/texts.js';
import { EMPTY_PLAN, type PlanContent } from './plan-content.js';
import { type PlanStep, STEP_DEFAULTS } from './types/step-types.js';

const fill = (unit: string, length = 65_536) => unit.repeat(Math.floor(length / unit.length));
const padded = (start: string, unit: string, end = '') => start + fill(unit, 65_000 - start.length) + end;

/** Commands of maximum length, each with another kind of expensive content. */
const COMMANDS: Record<string, string> = {
  insertions: fill('{{ WORD }}'),
  'unknown names': fill('{{x}}\n'),
  'secrets in filters': fill('{{ TOKEN | upcase }}'),
  tags: fill('{% if WORD %}{% endif %}'),
  'nested tags': fill('{% if WORD %}', 30_000) + fill('{% endif %}', 30_000),
  'open braces': fill('{{'),
  'open tags': fill('{%'),
  'operands in one tag': padded('{% if WORD ', 'and x ', '%}{% endif %}'),
  'arguments of one filter': padded('{{ WORD | replace: ', 'a,', 'a }}'),
  'filters of one value': padded('{{ WORD ', '| upcase ', '}}'),
  'fields of one value': padded('{{ WORD', '[x]', '}}'),
  'nested fields': `{{ WORD${fill('[x', 32_000)}${fill(']', 16_000)} }}`,
  blanks: padded('{{ WORD', ' ', '}}'),
  quotes: padded('{{ WORD }}', "'"),
  'double quotes': padded('{{ WORD }}', '"'),
  backslashes: padded('{{ WORD }}', '\\'),
  'continued lines': padded('{{ WORD }}', '\\\n'),
  substitutions: padded('{{ WORD }}', '$('),
  arithmetic: padded('{{ WORD }}', '$(('),
  expansions: padded('{{ WORD }}', '${'),
  backticks: padded('{{ WORD }}', '`'),
  'here-documents': `{{ WORD }}${fill('<<a ', 32_000)}\n${fill('b\n', 32_000)}`,
  'lines of a here-document': padded('{{ WORD }} <<a\n', '\\\\\\\n'),
  'backslashes in a here-document': padded('{{ WORD }} <<a\n', '\\', 'x'),
  'substitutions after here-documents': `{{ WORD }}${fill('<<a ', 30_000)}${fill('()', 30_000)}`,
  'quotes in expansions': `{{ WORD }}${fill('${', 30_000)}${fill("'", 30_000)}`,
  'cases in a substitution': padded('{{ WORD }} $(', 'case '),
  'an insertion at the end': padded('', 'a b ', '{{ WORD }}'),
};
const CONDITIONS: Record<string, string> = {
  operators: fill('WORD and ', 1990) + 'x',
  comparisons: `x${fill('==x', 1990)}`,
  parentheses: fill('(', 1000) + fill(')', 1000),
  fields: `x${fill('.a', 1990)}`,
  'nested fields': `x${fill('[a', 1000)}${fill(']', 900)}`,
  'facts of steps': `steps.a.changed${fill(' and steps.b.changed', 1950)}`,
};

const VARIABLES: PlanContent['variables'] = [
  { name: 'WORD', type: 'string' },
  { name: 'TOKEN', type: 'secret' },
  ...Array.from({ length: 98 }, (_, index) => ({
    name: `A_RATHER_LONG_NAME_OF_A_VARIABLE_${index}`,
    type: 'string' as const,
    pattern: `(a|b){0,9}${'[a-z]*'.repeat(20)}${index}`,
    default: `${'a'.repeat(2000)}${index}`,
  })),
];
const step = (index: number, change: object): PlanStep => ({
  ...STEP_DEFAULTS.command,
  okExitCodes: [0],
  key: `s${index}`,
  name: 's',
  command: 'true',
  ...change,
});
/** Builds a plan with as many steps of this size as fit in a request, which is at most 1 MiB. */
const plan = (change: object, bytes: number): PlanContent => ({
  ...EMPTY_PLAN,
  variables: VARIABLES,
  steps: Array.from({ length: Math.max(1, Math.min(100, Math.floor(1_000_000 / bytes))) }, (_, index) =>
    step(index, change),
  ),
});

/** Returns the smallest of three measurements, so that other load on the machine does not count. */
async function minGap(content: PlanContent): Promise<number> {
  const gaps: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const { gap, result } = await longestGap(() => checkPlanContentInTurns(content));
    expect(result.length).toBeLessThanOrEqual(MAX_PROBLEMS);
    gaps.push(gap);
    if (gap < 100) break;
  }
  return Math.min(...gaps);
}

describe('validating a plan of maximum size', () => {
  it.each(Object.entries(COMMANDS))('does not block the event loop with commands full of %s', async (_, command) => {
    expect(await minGap(plan({ command }, command.length))).toBeLessThan(100);
    const commandThreeTimes = { command, unless: command, check: command };
    expect(await minGap(plan(commandThreeTimes, 3 * command.length))).toBeLessThan(100);
  });

  it.each(Object.entries(COMMANDS))('does not block the event loop with arguments full of %s', async (_, command) => {
    const text = command.slice(0, 8192);
    const args = Array.from({ length: 100 }, () => text);
    const script = { ...STEP_DEFAULTS.script, scriptId: 'x', arguments: args };
    expect(await minGap(plan(script, 100 * text.length))).toBeLessThan(100);
  });

  it.each(Object.entries(CONDITIONS))('does not block the event loop with conditions full of %s', async (_, when) => {
    expect(when.length).toBeLessThanOrEqual(2000);
    expect(await minGap(plan({ when }, 2000))).toBeLessThan(100);
  });

  it('does not block the event loop with selectors and links of any length', async () => {
    const targets = fill('a!=b,', 1000).slice(0, -1);
    const onlyIfChanged = Array.from({ length: 100 }, (_, index) => `s${index}`);
    const outputs = Array.from({ length: 100 }, (_, index) => `o${index}`);
    const content = plan({ targets, onlyIfChanged, outputs }, 5000);
    expect(await minGap({ ...content, targets })).toBeLessThan(100);
  });

  it('reads no step after the first faults', async () => {
    const readIndexes = new Set<number>();
    const steps = Array.from({ length: 100 }, (_, index) =>
      Object.defineProperty(step(index, { key: '' }), 'timeoutSeconds', {
        get: () => readIndexes.add(index).size * 0,
      }),
    );
    const problems = await checkPlanContentInTurns({ ...EMPTY_PLAN, steps });
    expect(problems).toHaveLength(MAX_PROBLEMS);
    expect(readIndexes.size).toBeLessThanOrEqual(MAX_PROBLEMS);
  });
});

describe('the insertions of a plan', () => {
  it('are counted where they open', () => {
    expect(countInsertions('a {{ b }} {% if c %}{{{d}}} { { {x} ${y} {%raw%}{{')).toBe(5);
  });

  it('are at most 200 in a text and 2000 in a plan', async () => {
    const faults = async (content: PlanContent) =>
      (await checkPlanContentInTurns(content)).map(({ path, code }) => `${path} ${code}`);
    const many = (count: number) => '{{ WORD }} '.repeat(count);
    const of = (...changes: object[]): PlanContent => ({
      ...EMPTY_PLAN,
      variables: VARIABLES.slice(0, 1),
      steps: changes.map((change, index) => step(index, change)),
    });
    expect(await faults(of({ command: many(200), unless: many(200), check: many(200) }))).toEqual([]);
    expect(await faults(of({ command: many(201), unless: many(201) }))).toEqual([
      '/steps/0/command too_many',
      '/steps/0/unless too_many',
    ]);
    const script = { ...STEP_DEFAULTS.script, scriptId: 'x', arguments: [many(200), many(201)] };
    expect(await faults(of(script))).toEqual(['/steps/0/arguments/1 too_many']);
    const ten = Array.from({ length: 10 }, () => ({ command: many(200) }));
    expect(await faults(of(...ten))).toEqual([]);
    expect(await faults(of(...ten, { command: many(1) }))).toEqual(['/steps too_many']);
  });
});
