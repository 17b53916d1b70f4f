import type { PlanFormat } from '../code/plan-format.ts';

/** Runward's own format. A text is one plan. */
export const RUNWARD_PLAN = {
  name: 'plan',
  label: 'Plan in YAML or JSON',
  meaning: 'a plan',
  clues: [/^\s*["']?steps["']?\s*:/m, /"steps"\s*:/],
  reading: 'plan',
  matches: (first) => Object.hasOwn(first, 'steps'),
  convert: ({ value, places, comments }) => ({
    plans: [{ value, places, line: places['']?.line ?? 1, comments }],
    ...{ notCarried: [], moreNotCarried: 0, faults: [] },
  }),
} as const satisfies PlanFormat;
