import { type Fields, isFields } from '../../code/plan-text.ts';
import { toVariableName } from './convert-options.ts';
import { toSelector } from './node-filter.ts';
import { hasValue, isTrue, type JobContext, type KnownJob, addNote, toText, type LostPart } from './notes.ts';

/** Fields of a call step, or why the job reference cannot be converted. */
export type ConvertedCall = { readonly call: Fields } | LostPart;

const KNOWN_FIELDS = [
  'name',
  'group',
  'uuid',
  'project',
  'args',
  'nodeStep',
  'importOptions',
  'nodefilters',
  'useName',
];
/** Reported settings that do not change which commands run where. */
const IGNORED_FIELD_REASONS: Readonly<Record<string, string>> = {
  failOnDisable: 'A plan cannot be disabled.',
  ignoreNotifications: 'Notifications are not carried over.',
  childNodes: 'It only affects how Rundeck counts hosts.',
  project: 'Runward has no projects: the plan is found by its name.',
};
const EACH_NODE_FILTER_PATTERN = /^\s*(?:(?:node)?name:\s*)?\$\{node\.name\}\s*$/;
const OTHER_HOSTS_REASON =
  'It runs on its own hosts, but a called plan runs only on hosts that both plans select. Set the same targets for both.';
const FILTER_FIELDS = ['filter', 'filterExclude', 'include', 'exclude'];

const ARGUMENT_PATTERN = /-([\w.-]{1,100})\s+("(?:[^"\\]|\\.)*"|'[^']*'|\S+)/g;
const WHOLE_OPTION_PATTERN = /^\$\{option\.([^}\s]{1,100})\}$/;

/** @param at position of the step, whose reference is in `jobref` */
export function convertCall(jobref: Fields, context: JobContext, at: { path: string; step: string }): ConvertedCall {
  const said = toText(jobref.name)?.trim() ?? toText(jobref.uuid) ?? '';
  const what = `job reference ${said}`.trim();
  const path = `${at.path}/jobref`;
  const job = findKnownJob(jobref, context);
  const plan = job?.plan ?? toText(jobref.name)?.trim();
  if (plan === undefined || plan === '')
    return { what, reason: 'It refers only by ID to a job that is not in this text. Import both in one text.' };
  const odd = Object.keys(jobref).find(
    (field) =>
      hasValue(jobref[field]) &&
      jobref[field] !== false &&
      ![...KNOWN_FIELDS, ...Object.keys(IGNORED_FIELD_REASONS)].includes(field),
  );
  if (odd !== undefined) return { what, reason: `A call of a plan has no "${odd}".` };
  if (!job && context.jobs.some((other) => other.plan.toLowerCase() === plan.toLowerCase()))
    return { what, reason: 'It refers to another job than the one of this name in the text.' };
  const callArguments = parseArguments(toText(jobref.args) ?? '', context);
  if (callArguments === null)
    return { what, reason: 'Its arguments have text around options. Pass complete options, or fixed texts.' };
  if (!job && isTrue(jobref.importOptions))
    return {
      what,
      reason: 'It passes its options by name to a job that is not in this text. Write them as arguments.',
    };
  const targets = toCallTargets(jobref, job, context.targets);
  if (typeof targets !== 'string') return { what, ...targets };
  const variables: Fields = {};
  for (const [option, value] of callArguments) {
    const variable = job ? job.options.get(option) : toVariableName(option);
    if (variable === undefined) addNote(context, path, at.step, `${what}: -${option}`, 'The job has no such option.');
    else variables[variable] = value;
  }
  if (isTrue(jobref.importOptions) && job) addCalledVariables(job, context, variables);
  const dispatch = isFields(jobref.nodefilters) ? jobref.nodefilters.dispatch : undefined;
  for (const field of Object.keys(isFields(dispatch) ? dispatch : {}).filter((each) => each !== 'nodeIntersect'))
    addNote(
      context,
      `${path}/nodefilters/dispatch/${field}`,
      at.step,
      field,
      'The called plan has its own batches and limits.',
    );
  for (const [field, reason] of Object.entries(IGNORED_FIELD_REASONS))
    if (hasValue(jobref[field]) && jobref[field] !== false)
      addNote(context, `${path}/${field}`, at.step, field, reason);
  if (!job)
    addNote(
      context,
      path,
      at.step,
      what,
      'The job is not in this text: a plan of that name is called. Check that it is the same.',
    );
  return {
    call: {
      type: 'plan',
      plan,
      ...(targets === '' ? {} : { targets }),
      ...(Object.keys(variables).length > 0 ? { variables } : {}),
    },
  };
}

/**
 * Returns the selector of the call, or why the call cannot be converted. A called plan runs on those hosts of the
 * calling plan that its own selector matches. These must be the hosts that the job would have used.
 */
function toCallTargets(jobref: Fields, job: KnownJob | undefined, caller: string): string | { reason: string } {
  const filters = isFields(jobref.nodefilters) ? jobref.nodefilters : {};
  const dispatch = isFields(filters.dispatch) ? filters.dispatch : {};
  const called = job?.targets ?? null;
  if (isTrue(jobref.nodeStep)) {
    const runsOnEachNode = EACH_NODE_FILTER_PATTERN.test(toText(filters.filter) ?? '');
    return runsOnEachNode && (called === '' || called === caller) ? '' : { reason: OTHER_HOSTS_REASON };
  }
  const override = FILTER_FIELDS.some((field) => hasValue(filters[field])) ? toSelector(filters) : '';
  if (override === null) return { reason: 'Its node filter cannot be expressed as a selector.' };
  const selected = override === '' ? called : override;
  const isSame = (selector: string | null) => selector === '' || (selector !== null && selector === selected);
  if ((isTrue(dispatch.nodeIntersect) || isSame(caller)) && (override === '' || isSame(called))) return override;
  return { reason: OTHER_HOSTS_REASON };
}

function findKnownJob(jobref: Fields, { jobs }: JobContext): KnownJob | undefined {
  const uuid = toText(jobref.uuid);
  const name = toText(jobref.name)?.trim() ?? null;
  const group = toText(jobref.group);
  return jobs.find(
    (job) => (uuid !== null && job.ids.includes(uuid)) || (name !== null && job.name === name && job.group === group),
  );
}

/** Returns values by option; null: a value is neither an option nor a fixed text. */
function parseArguments(args: string, { variables }: JobContext): [string, string][] | null {
  if (args.replace(ARGUMENT_PATTERN, '').trim() !== '') return null;
  const found: [string, string][] = [];
  for (const [, option = '', written = ''] of args.matchAll(ARGUMENT_PATTERN)) {
    const value = /^["']/.test(written) ? written.slice(1, -1).replace(/\\(["\\])/g, '$1') : written;
    const own = variables.get(WHOLE_OPTION_PATTERN.exec(value)?.[1] ?? '');
    if (own === undefined && /\$\{|\{\{|\{%/.test(value)) return null;
    found.push([option, own === undefined ? value : `{{ ${own} }}`]);
  }
  return found;
}

/** Passes on options of the same name, like Rundeck. */
function addCalledVariables(job: KnownJob, { variables: own }: JobContext, variables: Fields): void {
  for (const [option, variable] of job.options) {
    const ownVariable = own.get(option);
    if (ownVariable !== undefined) variables[variable] ??= `{{ ${ownVariable} }}`;
  }
}

/** Sorts called plans before their callers. Keeps the order otherwise, also within circles. */
export function sortCalledFirst<Plan extends { readonly value: Fields }>(plans: readonly Plan[]): Plan[] {
  const byName = new Map(plans.map((plan) => [toText(plan.value.name), plan]));
  const ordered = new Set<Plan>();
  const seen = new Set<Plan>();
  const visit = (plan: Plan): void => {
    if (seen.has(plan)) return;
    seen.add(plan);
    for (const step of Array.isArray(plan.value.steps) ? plan.value.steps : []) {
      const called = isFields(step) && step.type === 'plan' ? byName.get(toText(step.plan)) : undefined;
      if (called) visit(called);
    }
    ordered.add(plan);
  };
  for (const plan of plans) visit(plan);
  return [...ordered];
}
