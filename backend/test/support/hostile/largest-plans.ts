/** Plan that reaches one limit of plans, and variables for its start. */
export interface LargestPlan {
  content: Record<string, unknown>;
  variables: Record<string, unknown>;
}

const MAX_STEPS = 100;
const MAX_VARIABLES = 100;
const MAX_CONDITIONS = 50;
/** Longest texts, in characters: conditions, selectors and values. */
const MAX_WHEN_LENGTH = 2000;
const MAX_SELECTOR_LENGTH = 1000;
const VALUE = 32_768;

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

/** Joins as many parts as fit into `most` characters. */
function joined(parts: readonly string[], between: string, most: number): string {
  let text = parts[0] ?? '';
  for (const part of parts.slice(1)) {
    if (text.length + between.length + part.length > most) break;
    text += between + part;
  }
  return text;
}

const selector = (mark: string) =>
  joined(
    times(MAX_CONDITIONS, (index) => (index % 2 ? `name!=*${mark}?${index}*` : `t${index} notin (${mark},b)`)),
    ',',
    MAX_SELECTOR_LENGTH,
  );
const stepKey = (index: number) => `s${index}-`.padEnd(63, 'k');

/** Maximum number of steps, each of which refers to earlier ones in all possible ways. */
const planWithMostSteps = (): LargestPlan => ({
  content: {
    targets: selector('p'),
    variables: [{ name: 'WORD', type: 'string', default: 'a' }],
    locks: times(20, (index) => `l${index}-`.padEnd(63, 'x')),
    steps: times(MAX_STEPS, (index) => ({
      key: stepKey(index),
      command: `${'echo {{ WORD }} "a b"; '.repeat(20)}${': x; '.repeat(100)}`,
      targets: selector(`q${index}`),
      when: joined(
        times(MAX_STEPS, (at) =>
          at % 2 && index > 0 ? `steps.${stepKey(index - 1)}.outputs.o${at % 20} == "x"` : `WORD != "${at}"`,
        ),
        ' and ',
        MAX_WHEN_LENGTH,
      ),
      onlyIfChanged: times(Math.min(index, 40), (at) => stepKey(at)),
      outputs: times(20, (at) => `o${at}`),
      environment: Object.fromEntries(times(20, (at) => [`E${at}`, 'x'.repeat(20)])),
      okExitCodes: times(40, (at) => at),
      changedExitCodes: times(20, (at) => at),
    })),
  },
  variables: { WORD: 'x'.repeat(200) },
});

/** Few steps with the longest texts and the maximum number of insertions. */
const planWithLongestCommands = (): LargestPlan => {
  const line = "printf %s {{ WORD | append: 'x' | upcase }} 'a b' > /tmp/x;\n";
  const command = line.repeat(130) + `: ${"'a b' ".repeat(9_000)}`;
  return {
    content: {
      variables: [{ name: 'WORD', type: 'string', default: 'a' }],
      steps: times(5, (index) => ({ key: `s${index}`, command, unless: command, check: command })),
    },
    variables: { WORD: "x'".repeat(100) },
  };
};

/** Patterns that reach the limit of costs for all patterns of a plan. */
export const planWithCostliestPatterns = (): LargestPlan => ({
  content: {
    variables: times(MAX_VARIABLES, (index) =>
      index < 60
        ? { name: `V${index}`, type: 'string', pattern: '(a?){490}', default: 'aaaaa', description: 'x'.repeat(500) }
        : {
            name: `V${index}`,
            type: 'choice',
            choices: times(200, (at) => `c${at}-`.padEnd(100, 'x')),
            default: 'c199-'.padEnd(100, 'x'),
          },
    ),
    steps: [{ key: 'one', command: times(MAX_VARIABLES, (index) => `echo {{ V${index} }}`).join('\n') }],
  },
  variables: Object.fromEntries(
    times(MAX_VARIABLES, (index) => [`V${index}`, index < 60 ? 'aaaaa' : 'c198-'.padEnd(100, 'x')]),
  ),
});

const planWithLargestValues = (): LargestPlan => ({
  content: {
    variables: [
      ...times(28, (index) => ({ name: `V${index}`, type: 'string' })),
      ...times(10, (index) => ({ name: `L${index}`, type: 'list' })),
    ],
    steps: times(20, (index) => ({
      key: `s${index}`,
      command: `echo ${'{{ V1 | size }} {{ L1 | size }} {{ V2 | split: "x" | size }} '.repeat(30)}`,
    })),
  },
  variables: Object.fromEntries([
    ...times(28, (index): [string, unknown] => [`V${index}`, 'x'.repeat(VALUE - 1)]),
    ...times(10, (index): [string, unknown] => [`L${index}`, times(1000, () => 'xxxxx')]),
  ]),
});

/** IDs of the longest scripts and templates that one run may use together. */
export interface LongestLibrary {
  scriptIds: readonly string[];
  templateIds: readonly string[];
}

/** Maximum number of steps that run the longest scripts and write the longest files. */
const longestLibrary = ({ scriptIds, templateIds }: LongestLibrary): LargestPlan => ({
  content: {
    variables: [{ name: 'WORD', type: 'string', default: 'a' }],
    steps: times(MAX_STEPS, (index) => {
      const key = stepKey(index);
      const at = Math.floor(index / 4);
      return index % 4 === 0
        ? { key, type: 'template', templateId: templateIds[at % templateIds.length], path: `/srv/${index}` }
        : {
            ...{ key, type: 'script', scriptId: scriptIds[at % scriptIds.length] },
            arguments: times(95, (each) => (each % 5 ? `${each}`.padEnd(120, 'x') : '{{ WORD }}')),
          };
    }),
  },
  variables: { WORD: 'x'.repeat(200) },
});

export const LARGEST_PLANS: readonly [title: string, make: (library: LongestLibrary) => LargestPlan][] = [
  ['as many steps as there may be', planWithMostSteps],
  ['the longest commands', planWithLongestCommands],
  ['the costliest patterns and as many choices as there may be', planWithCostliestPatterns],
  ['the largest values', planWithLargestValues],
  ['the longest scripts and templates', longestLibrary],
];
