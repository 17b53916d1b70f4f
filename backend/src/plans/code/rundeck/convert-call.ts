import { variableOf } from './convert-options.ts';
import { selectorOf } from './node-filter.ts';
import { type Fields, isFields, isTrue, type JobContext, type KnownJob, note, textOf } from './notes.ts';

/** A reference to another job as the fields of a step that calls its plan, or why it can't be one. */
export type Call = { readonly call: Fields } | { readonly what: string; readonly reason: string };

const ARGUMENT = /-([\w.-]{1,100})\s+("(?:[^"\\]|\\.)*"|'[^']*'|\S+)/g;
const WHOLE_OPTION = /^\$\{option\.([^}\s]{1,100})\}$/;

/** @param at place of the step, whose reference stands in `jobref` */
export function convertCall(jobref: Fields, context: JobContext, at: { path: string; step: string }): Call {
  const said = textOf(jobref.name)?.trim() ?? textOf(jobref.uuid) ?? '';
  const what = `job reference ${said}`.trim();
  const path = `${at.path}/jobref`;
  const job = knownJob(jobref, context);
  const plan = job?.plan ?? textOf(jobref.name)?.trim();
  if (plan === undefined || plan === '')
    return { what, reason: 'It names a job that is not in this text by its id alone: import both in one text.' };
  const given = argumentsOf(textOf(jobref.args) ?? '', context);
  if (given === null)
    return { what, reason: 'Its arguments hold texts around options: hand over whole options, or fixed texts.' };
  const variables: Fields = {};
  for (const [option, value] of given) {
    const variable = job ? job.options.get(option) : variableOf(option);
    if (variable === undefined) note(context, path, at.step, `${what}: -${option}`, 'The job has no such option.');
    else variables[variable] = value;
  }
  if (isTrue(jobref.importOptions)) {
    if (job) takeOver(job, context, variables);
    else note(context, path, at.step, `${what}: importOptions`, 'The job is not in this text: hand the options over.');
  }
  const filters = isFields(jobref.nodefilters) ? jobref.nodefilters : {};
  const targets = selectorOf(filters);
  if (targets === null) return { what, reason: 'Its node filter can not be said as a selector.' };
  const changes = [
    ...(job
      ? []
      : ['The job is not in this text: a plan of that name is called, if there is one. Look whether it is the same.']),
    ...(textOf(jobref.project) === null ? [] : ['There are no projects: the plan is found by its name.']),
    ...(isTrue(jobref.nodeStep) && targets === ''
      ? []
      : ['Its steps run on those hosts of this plan that the called plan selects too, and on no others.']),
  ];
  if (changes.length > 0) note(context, path, at.step, what, changes.join(' '));
  return {
    call: {
      type: 'plan',
      plan,
      ...(targets === '' ? {} : { targets }),
      ...(Object.keys(variables).length > 0 ? { variables } : {}),
    },
  };
}

function knownJob(jobref: Fields, { jobs }: JobContext): KnownJob | undefined {
  const uuid = textOf(jobref.uuid);
  const name = textOf(jobref.name)?.trim() ?? null;
  const group = textOf(jobref.group);
  return jobs.find(
    (job) => (uuid !== null && job.ids.includes(uuid)) || (name !== null && job.name === name && job.group === group),
  );
}

/** Values by options; null: one of them is more than an option or a fixed text. */
function argumentsOf(args: string, { variables }: JobContext): [string, string][] | null {
  if (args.replace(ARGUMENT, '').trim() !== '') return null;
  const found: [string, string][] = [];
  for (const [, option = '', written = ''] of args.matchAll(ARGUMENT)) {
    const value = /^["']/.test(written) ? written.slice(1, -1).replace(/\\(["\\])/g, '$1') : written;
    const own = variables.get(WHOLE_OPTION.exec(value)?.[1] ?? '');
    if (own === undefined && /\$\{|\{\{|\{%/.test(value)) return null;
    found.push([option, own === undefined ? value : `{{ ${own} }}`]);
  }
  return found;
}

/** Options of the same name are handed on, as Rundeck does. */
function takeOver(job: KnownJob, { variables: own }: JobContext, variables: Fields): void {
  for (const [option, variable] of job.options) {
    const mine = own.get(option);
    if (mine !== undefined) variables[variable] ??= `{{ ${mine} }}`;
  }
}

/** Those that are called come before those that call them; otherwise the order stays. Circles stay as they are. */
export function calledFirst<Plan extends { readonly value: Fields }>(plans: readonly Plan[]): Plan[] {
  const byName = new Map(plans.map((plan) => [textOf(plan.value.name), plan]));
  const ordered = new Set<Plan>();
  const seen = new Set<Plan>();
  const visit = (plan: Plan): void => {
    if (seen.has(plan)) return;
    seen.add(plan);
    for (const step of Array.isArray(plan.value.steps) ? plan.value.steps : []) {
      const called = isFields(step) && step.type === 'plan' ? byName.get(textOf(step.plan)) : undefined;
      if (called) visit(called);
    }
    ordered.add(plan);
  };
  for (const plan of plans) visit(plan);
  return [...ordered];
}
