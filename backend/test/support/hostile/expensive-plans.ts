import { planWithCostliestPatterns } from './largest-plans.js';

export interface ExpensivePlan {
  content: { variables?: object[]; steps: Record<string, unknown>[] };
  variables?: Record<string, unknown>;
  /** Text of the expected error at the start; null: the start is accepted. */
  refusal: RegExp | null;
}

export interface ExpensiveRecords {
  scriptId: string;
  templateId: string;
  calledPlanId: string;
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const commands = (count: number, command: string, more: object = {}): ExpensivePlan['content']['steps'] =>
  times(count, (index) => ({ key: `s${index}`, command, ...more }));
const filled = (begin: string, part: string, end: string, most: number) =>
  begin + part.repeat(Math.floor((most - begin.length - end.length) / part.length)) + end;

export const nestedLoops = (outer: number, inner = outer, body = ''): string =>
  `{% for i in (1..${outer}) %}{% for j in (1..${inner}) %}${body}{% endfor %}{% endfor %}`;
const LONG = [{ name: 'long', type: 'string', default: "it's ".repeat(6_000) }];
/** Insertions per text. A plan may have 2,000 in total, and those in long texts count several times. */
const MAX_INSERTIONS_PER_TEXT = 190;

export const EXPENSIVE_PLANS: Record<string, (records: ExpensiveRecords) => ExpensivePlan> = {
  'a step of 900 × 900 loops': () => ({
    content: { steps: commands(1, `echo ${nestedLoops(900, 900, '{{ j }}')}`) },
    refusal: /Step "s0": .*more than 500,000 operations/,
  }),
  '30 steps of 400 × 400 loops': () => ({
    content: { steps: commands(30, `echo ${nestedLoops(400)}`) },
    refusal: /more than (4,000,000 operations|15 s)/,
  }),
  'loops that are just allowed': () => ({
    content: {
      steps: commands(2, `echo ${nestedLoops(300)}`, {
        unless: `false ${nestedLoops(200)}`,
        check: `true ${nestedLoops(200)}`,
      }),
    },
    refusal: null,
  }),
  'loops in each argument, path and condition': ({ scriptId, templateId }) => ({
    content: {
      variables: LONG,
      steps: [
        { key: 'script', type: 'script', scriptId, arguments: times(10, () => nestedLoops(100)) },
        {
          key: 'file',
          type: 'template',
          templateId,
          path: `/srv/x${nestedLoops(200)}`,
          validate: `true ${nestedLoops(200)} %s`,
        },
        ...commands(1, 'true', { when: filled('long', ' and long != "x"', '', 2_000) }),
      ],
    },
    refusal: null,
  }),
  'costly filters over long values': () => ({
    content: {
      variables: LONG,
      steps: commands(8, `echo ${'{{ long | hash }}{{ long | size }}'.repeat(MAX_INSERTIONS_PER_TEXT / 2)}`),
    },
    refusal: null,
  }),
  'as many insertions as there may be': () => ({
    content: {
      variables: [{ name: 'word', type: 'string', default: 'x' }],
      steps: commands(10, `echo ${"{{ word | append: 'x' | raw }} ".repeat(MAX_INSERTIONS_PER_TEXT)}`),
    },
    refusal: null,
  }),
  'the longest insertions': () => ({
    content: {
      variables: [{ name: 'word', type: 'string', default: 'x' }],
      steps: commands(8, filled('echo {{ word', ' | upcase', ' }}', 60_000)),
    },
    refusal: null,
  }),
  'the costliest patterns': () => {
    const { content, variables } = planWithCostliestPatterns();
    return { content: content as ExpensivePlan['content'], variables, refusal: null };
  },
  'a list that is gone through by each of many steps': () => ({
    content: {
      variables: [{ name: 'list', type: 'list', default: times(1000, (index) => `item ${index}`) }],
      steps: commands(2, `echo {% for a in list %}{% if list contains a %}{% endif %}{% endfor %}`),
    },
    refusal: null,
  }),
  'calls of an expensive plan for each item': ({ calledPlanId }) => ({
    content: {
      steps: [{ key: 'call', type: 'plan', planId: calledPlanId, forEach: times(50, (index) => `${index}`) }],
    },
    refusal: null,
  }),
};
