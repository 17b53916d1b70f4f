import type { ConvertedPlan, NotCarried, Tree } from '../plan-text.js';

type Fields = { [name: string]: Tree };

/** A fault of a converted plan by the rules of plans. */
export interface RuleFault {
  readonly path: string;
  readonly message: string;
  readonly line: number;
}

/** Fields that a variable, or a step, can do without. */
const OF_VARIABLES = ['default', 'pattern', 'description'];
const NEEDED_BY_STEPS = ['key', 'type', 'command', 'message'];
const MOST_MESSAGE = 1800;

/**
 * Takes out of a plan what breaks a rule, and notes it: a pattern that is not supported, a command that inserts a value where
 * no quotes protect it, a call of a plan that is not there.
 * @returns null: nothing that the faults are about can be taken out
 */
export function repairPlan(
  plan: ConvertedPlan['value'],
  faults: readonly RuleFault[],
): { plan: ConvertedPlan['value']; notes: NotCarried[] } | null {
  const copy = structuredClone<Fields>(plan);
  const notes = faults.flatMap((fault) => noteOf(copy, fault) ?? []);
  return notes.length === 0 ? null : { plan: copy, notes };
}

function noteOf(plan: Fields, { path, message, line }: RuleFault): NotCarried | null {
  const [, part = '', index = '', field = ''] = path.split('/');
  const job = nameOf(plan);
  const told = (step: string | null, what: string): NotCarried => ({ line, job, step, what, reason: message });
  if (part === 'targets' || part === 'timeoutSeconds') {
    delete plan[part];
    if (part === 'targets') askFor(plan, message);
    return told(null, part === 'targets' ? 'node filter' : 'timeout');
  }
  const item = Array.isArray(plan[part]) ? plan[part][Number(index)] : undefined;
  if (item === undefined || item === null || typeof item !== 'object' || Array.isArray(item)) return null;
  if (part === 'variables' && OF_VARIABLES.includes(field)) {
    delete item[field];
    return told(null, `option ${nameOf(item)}: ${field === 'pattern' ? 'regex' : field}`);
  }
  if (part !== 'steps') return null;
  const step = String(Number(index) + (isGate((plan.steps as Tree[])[0]) ? 0 : 1));
  if (field === 'command' || item.type === 'plan') {
    const what = field === 'command' ? field : `job reference ${typeof item.plan === 'string' ? item.plan : ''}`.trim();
    const { key = `step-${step}`, name } = item;
    for (const each of Object.keys(item)) delete item[each];
    const text = `Step ${step} was not carried over from Rundeck. ${message}`.slice(0, MOST_MESSAGE);
    Object.assign(item, { key, ...(name === undefined ? {} : { name }), type: 'gate', message: text });
    return told(step, what);
  }
  if (NEEDED_BY_STEPS.includes(field)) return null;
  delete item[field];
  return told(step, field);
}

const nameOf = ({ name }: Fields): string => (typeof name === 'string' ? name : '');

const isGate = (step: Tree | undefined): boolean => (step as Fields | undefined)?.key === 'check-targets';

function askFor(plan: Fields, reason: string): void {
  const steps = plan.steps as Tree[];
  if (isGate(steps[0])) return;
  const message = `The node filter of the job was not carried over. ${reason} Choose the targets of the plan, then take this step out.`;
  steps.unshift({ key: 'check-targets', type: 'gate', message: message.slice(0, MOST_MESSAGE) });
}
