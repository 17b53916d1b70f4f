import type { RuleFault } from '../../code/plan-format.ts';
import { type Fields, isFields, type NotCarriedPart, type YamlTree } from '../../code/plan-text.ts';
import { createPlaceholderStep } from './placeholder.ts';

const VARIABLE_FIELDS = ['default', 'pattern', 'description'];

/**
 * Removes invalid parts from a plan and reports them. Examples: an unsupported pattern, a command that inserts a value
 * where quotes do not protect it, a call of a missing plan.
 * @returns null if none of the faults can be repaired in this way
 */
export function repairPlan(
  plan: Fields,
  faults: readonly RuleFault[],
): { plan: Fields; notes: NotCarriedPart[] } | null {
  const copy = structuredClone(plan);
  const notes = faults.flatMap((fault) => repairAndNote(copy, fault) ?? []);
  // Handled last: it inserts a step, which changes the indexes of steps in the faults.
  const targetsFault = faults.find(({ path }) => path.split('/')[1] === 'targets');
  if (targetsFault) addCheckTargetsGate(copy, targetsFault.message);
  return notes.length === 0 ? null : { plan: copy, notes };
}

function repairAndNote(plan: Fields, { path, message, line }: RuleFault): NotCarriedPart | null {
  const [, part = '', index = '', field = ''] = path.split('/');
  const job = readName(plan);
  const notCarried = (step: string | null, what: string): NotCarriedPart => ({
    line,
    job,
    step,
    what,
    reason: message,
  });
  if (part === 'targets' || part === 'timeoutSeconds') {
    delete plan[part];
    return notCarried(null, part === 'targets' ? 'node filter' : 'timeout');
  }
  const item = Array.isArray(plan[part]) ? plan[part][Number(index)] : undefined;
  if (!isFields(item)) return null;
  if (part === 'variables' && VARIABLE_FIELDS.includes(field)) {
    delete item[field];
    // Otherwise commands would run with an empty value instead of the removed default.
    if (field === 'default') item.required = true;
    return notCarried(null, `option ${readName(item)}: ${field === 'pattern' ? 'regex' : field}`);
  }
  if (part !== 'steps' || field === 'key' || item.type === 'gate') return null;
  const { name } = item;
  const key = typeof item.key === 'string' ? item.key : '';
  const [, step = '?'] = /^(?:step-)?(\d+)/.exec(key) ?? [];
  if (field === 'name') {
    delete item.name;
    return notCarried(step, field);
  }
  const about = typeof item.plan === 'string' ? item.plan : '';
  const what = item.type === 'plan' ? `job reference ${about}`.trim() : field;
  const own = typeof item.command === 'string' ? `\n\n${item.command}` : '';
  for (const each of Object.keys(item)) delete item[each];
  const text = `Step ${step} was not carried over from Rundeck. ${message}${own}`;
  Object.assign(item, createPlaceholderStep({ key, ...(name === undefined ? {} : { name }) }, text));
  return notCarried(step, what);
}

const readName = ({ name }: Fields): string => (typeof name === 'string' ? name : '');

const isCheckTargetsGate = (step: YamlTree | undefined): boolean =>
  (step as Fields | undefined)?.key === 'check-targets';

function addCheckTargetsGate(plan: Fields, reason: string): void {
  const steps = plan.steps as YamlTree[];
  if (steps.some(isCheckTargetsGate)) return;
  const message = `The node filter of the job was not carried over. ${reason} Choose the targets of the plan, then remove this step.`;
  steps.unshift(createPlaceholderStep({ key: 'check-targets' }, message));
}
