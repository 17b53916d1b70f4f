import { MOST_PLANS } from '../bounds.ts';
import type { ConvertedPlan, ConvertedText, Place, ReadText, TextFault, Tree } from '../plan-text.ts';
import { calledFirst } from './convert-call.ts';
import { convertOption, optionsOf } from './convert-options.ts';
import { convertStep } from './convert-steps.ts';
import { selectorOf } from './node-filter.ts';
import {
  type Fields,
  isFields,
  isSaid,
  isTrue,
  type JobContext,
  type KnownJob,
  lineOf,
  note,
  Notes,
  textOf,
} from './notes.ts';

const MOST_NAME = 100;
const MOST_STEPS = 99;
/** Without a meaning for what a job does. */
const IGNORED = new Set([
  ...[
    'name',
    'description',
    'id',
    'uuid',
    'project',
    'loglevel',
    'defaultTab',
    'nodeFilterEditable',
    'nodesSelectedByDefault',
  ],
  ...[
    'options',
    'sequence',
    'nodefilters',
    'timeout',
    'multipleExecutions',
    'scheduleEnabled',
    'timeZone',
    'user',
    'group',
  ],
  ...['executionEnabled', 'doNodedispatch', 'preserveOptionOrder', 'logFormat', 'notifyAvgDurationThreshold'],
]);
const LOST: Readonly<Record<string, string>> = {
  schedule: 'Schedules are not carried over: the plan starts when somebody starts it.',
  schedules: 'Schedules are not carried over: the plan starts when somebody starts it.',
  notification: 'Notifications are not carried over.',
  retry: 'A whole run is not repeated by itself: give the steps that may be repeated their retries.',
  orchestrator: 'Orchestrators are not carried over: use batch of the steps.',
  plugins: 'Plugins of Rundeck are not run.',
  loglimit: 'Output has the limits of the installation.',
  loglimitAction: 'Output has the limits of the installation.',
  loglimitStatus: 'Output has the limits of the installation.',
  runnerSelector: 'Runners are not carried over.',
  maxMultipleExecutions: 'The number of runs at a time is not limited.',
};

/** Job definitions of Rundeck as plans, with what can't be carried over. */
export function convertJobs({ value, places, faults }: ReadText): ConvertedText {
  const notes = new Notes();
  if (faults.length > 0) return { plans: [], notCarried: [], moreNotCarried: 0, faults };
  const list = Array.isArray(value) ? value : isFields(value) ? [value] : [];
  const jobs = list.map((job, index): [Tree, string] => [job, Array.isArray(value) ? `/${index}` : '']);
  const refusal = refusalOf(jobs, places);
  if (refusal) return { plans: [], notCarried: [], moreNotCarried: 0, faults: [refusal] };
  const known = knownJobs(jobs.map(([job]) => job as Fields));
  const plans = jobs.map(([job, path], index) => convertJob(job as Fields, path, { places, notes, known, index }));
  return { plans: calledFirst(plans), notCarried: notes.listed, moreNotCarried: notes.more, faults: [] };
}

const START: Place = { line: 1, column: 1, endLine: 1, endColumn: 1 };

function refusalOf(jobs: readonly [Tree, string][], places: ReadText['places']): TextFault | null {
  const at = (path: string) => places[path] ?? START;
  if (jobs.length === 0)
    return { code: 'wrong_type', path: '', place: START, message: 'Send a list of jobs, as Rundeck exports them.' };
  if (jobs.length > MOST_PLANS)
    return { code: 'too_large', path: '', place: START, message: `A text holds at most ${MOST_PLANS} jobs. Split it.` };
  const odd = jobs.find(([job]) => !isFields(job) || textOf(job.name) === null || !isFields(job.sequence));
  if (!odd) return null;
  const message = 'This is no job of Rundeck: a job has a "name" and a "sequence".';
  return { code: 'wrong_type', path: odd[1], place: at(odd[1]), message };
}

function convertJob(
  job: Fields,
  path: string,
  { places, notes, known, index }: { places: ReadText['places']; notes: Notes; known: KnownJob[]; index: number },
): ConvertedPlan {
  const { plan: name = '', options: own = new Map<string, string>() } = known[index] ?? {};
  const options = optionsOf(job.options, `${path}/options`);
  const secrets = options.filter(({ fields }) => isTrue(fields.secure)).map(({ variable }) => variable);
  const context: JobContext = { job: name, places, notes, variables: own, secrets: new Set(secrets), jobs: known };
  for (const [field, said] of Object.entries(job)) {
    if (IGNORED.has(field) || !isSaid(said) || said === false) continue;
    note(context, `${path}/${field}`, null, field, LOST[field] ?? 'There is no such setting of a plan.');
  }
  if (textOf(job.group) !== null)
    note(context, `${path}/group`, null, 'group', 'Plans lie in the collection that you choose.');
  if (job.executionEnabled === false)
    note(context, `${path}/executionEnabled`, null, 'executionEnabled', 'A plan can not be switched off.');
  const sequence = job.sequence as Fields;
  const commands = Array.isArray(sequence.commands) ? sequence.commands : [];
  if (commands.length > MOST_STEPS)
    note(
      context,
      `${path}/sequence`,
      null,
      'steps',
      `A plan has at most 100 steps; the first ${MOST_STEPS} are carried over.`,
    );
  const where = targetsOf(job, path, context);
  const steps = commands
    .slice(0, MOST_STEPS)
    .map((step, index) => convertStep(step, `${path}/sequence/commands/${index}`, index + 1, context));
  const batched = steps.map((step) =>
    step.type === 'gate' || step.type === 'plan' || where.batch === null ? step : { ...step, batch: where.batch },
  );
  const first = where.gate === null ? [] : [{ key: 'check-targets', type: 'gate', message: where.gate }];
  const variables = options.map((option) => convertOption(option, context));
  const timeoutSeconds = timeoutOf(job, path, context);
  const value: ConvertedPlan['value'] = {
    name,
    ...(textOf(job.description) === null ? {} : { description: (textOf(job.description) ?? '').slice(0, 2000) }),
    ...(where.targets === '' ? {} : { targets: where.targets }),
    ...flowOf(sequence, `${path}/sequence`, where, context),
    ...(timeoutSeconds === null ? {} : { timeoutSeconds }),
    ...(isTrue(job.multipleExecutions) ? { parallelSafe: true } : {}),
    ...(variables.length > 0 ? { variables } : {}),
    steps: [...first, ...batched],
  };
  const line = lineOf(places, path) ?? places[path]?.line ?? 1;
  return {
    value,
    line,
    places: placesOf(
      options.map((option) => option.path),
      commands.length,
      { path, places, first: first.length },
    ),
  };
}

/** Where the parts of the plan come from. */
function placesOf(
  options: readonly string[],
  steps: number,
  { path, places, first }: { path: string; places: ReadText['places']; first: number },
): Record<string, Place> {
  const found: Record<string, Place> = { '': places[path] ?? START };
  options.forEach((from, index) => void (found[`/variables/${index}`] = places[from] ?? START));
  for (let index = 0; index < steps; index += 1)
    found[`/steps/${index + first}`] = places[`${path}/sequence/commands/${index}`] ?? START;
  return found;
}

/** The jobs with the names that their plans get. */
function knownJobs(jobs: readonly Fields[]): KnownJob[] {
  const taken = new Set<string>();
  return jobs.map((job) => ({
    name: (textOf(job.name) ?? '').trim(),
    group: textOf(job.group),
    ids: [textOf(job.uuid), textOf(job.id)].filter((id) => id !== null),
    plan: nameOf(job, taken),
    options: new Map(optionsOf(job.options, '').map(({ name, variable }) => [name, variable])),
  }));
}

/** The name of the job, with its group where another job of the text has the same. */
function nameOf(job: Fields, taken: Set<string>): string {
  const own = (textOf(job.name) ?? '').trim();
  const group = textOf(job.group);
  let name = own.slice(0, MOST_NAME);
  if (taken.has(name.toLowerCase()) && group !== null) name = `${group}/${own}`.slice(-MOST_NAME);
  for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${own.slice(0, MOST_NAME - 5)} ${number}`;
  taken.add(name.toLowerCase());
  return name;
}

interface Where {
  readonly targets: string;
  readonly batch: number | null;
  /** What a person is asked before anything runs, where the hosts could be other ones than those of the job. */
  readonly gate: string | null;
  readonly keepsGoing: boolean;
}

function targetsOf(job: Fields, path: string, context: JobContext): Where {
  const filters = isFields(job.nodefilters) ? job.nodefilters : null;
  // Its hosts are those of the jobs that it refers to.
  if (!filters && callsOnly(job)) return { targets: '', batch: null, gate: null, keepsGoing: false };
  if (!filters) {
    note(
      context,
      path,
      null,
      'node filter',
      'The job ran on the Rundeck server itself: choose the targets of the plan.',
    );
    const gate = 'This job ran on the Rundeck server itself. Choose the targets of the plan, then take this step out.';
    return { targets: '', batch: null, gate, keepsGoing: false };
  }
  const dispatch = isFields(filters.dispatch) ? filters.dispatch : {};
  const threads = Number(textOf(dispatch.threadcount) ?? '1');
  const batch = Number.isInteger(threads) && threads >= 1 && threads <= 1000 ? threads : null;
  if (batch === null)
    note(context, `${path}/nodefilters/dispatch`, null, 'threadcount', 'It is no number: all hosts go at a time.');
  if (isSaid(dispatch.rankAttribute))
    note(
      context,
      `${path}/nodefilters/dispatch/rankAttribute`,
      null,
      'rankAttribute',
      'Hosts go in the order of their names.',
    );
  const keepsGoing = isTrue(dispatch.keepgoing);
  const targets = selectorOf(filters);
  if (targets !== null) return { targets, batch, gate: null, keepsGoing };
  const said = (textOf(filters.filter) ?? 'include and exclude').slice(0, 500);
  note(
    context,
    `${path}/nodefilters`,
    null,
    'node filter',
    'It can not be said as a selector: choose the targets of the plan.',
  );
  const gate = `The node filter of the job was not carried over: ${said}. Choose the targets of the plan, then take this step out.`;
  return { targets: '', batch, gate, keepsGoing };
}

function callsOnly({ sequence }: Fields): boolean {
  const commands = isFields(sequence) && Array.isArray(sequence.commands) ? sequence.commands : [];
  return commands.length > 0 && commands.every((step) => isFields(step) && isFields(step.jobref));
}

function flowOf(sequence: Fields, path: string, where: Where, context: JobContext): Fields {
  const strategy = textOf(sequence.strategy) ?? 'node-first';
  if (
    strategy === 'node-first' &&
    where.batch !== null &&
    Array.isArray(sequence.commands) &&
    sequence.commands.length > 1
  ) {
    const reason = 'A step ends on all hosts before the next one begins; its hosts go in batches of the thread count.';
    note(context, `${path}/strategy`, null, 'strategy node-first', reason);
  } else if (!['node-first', 'step-first', 'sequential'].includes(strategy))
    note(context, `${path}/strategy`, null, `strategy ${strategy}`, 'Steps go one after the other.');
  if (isTrue(sequence.keepgoing)) {
    const reason =
      'Later steps run on the hosts that have not failed; steps that are to run on all of them are set to always.';
    note(context, `${path}/keepgoing`, null, 'keepgoing', reason);
  }
  return {
    ...(isTrue(sequence.keepgoing) ? { onFailure: 'continue' } : {}),
    ...(where.keepsGoing ? { maxFailPercent: 100 } : {}),
  };
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

function timeoutOf(job: Fields, path: string, context: JobContext): number | null {
  const said = textOf(job.timeout);
  if (said === null || said === '0') return null;
  const parts = [...said.matchAll(/(\d{1,9})\s*([smhdw]?)/g)];
  const seconds = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit || 's'] ?? 1), 0);
  if (/^(\s*\d{1,9}\s*[smhdw]?)+\s*$/.test(said) && seconds >= 1 && seconds <= 86_400) return seconds;
  note(context, `${path}/timeout`, null, 'timeout', 'It is not one of a second to a day: the plan has none.');
  return null;
}
