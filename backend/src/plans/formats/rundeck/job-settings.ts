import type { Fields } from '../../code/plan-text.ts';
import type { JobTargets } from './job-targets.ts';
import { hasValue, isTrue, type JobContext, addNote, toText } from './notes.ts';

/** Settings that are converted elsewhere, or irrelevant for what a job does. */
const IGNORED_FIELDS = new Set([
  ...['name', 'description', 'id', 'uuid', 'project', 'defaultTab', 'nodeFilterEditable', 'options', 'sequence'],
  ...['nodefilters', 'timeout', 'multipleExecutions', 'scheduleEnabled', 'timeZone', 'executionEnabled'],
  ...['doNodedispatch', 'preserveOptionOrder', 'loglevel'],
]);
const SCHEDULES_REASON = 'Schedules are not carried over: the plan starts only on request.';
const LIMITS_REASON = 'The installation limits the output.';
/** Settings that are only reported: without them, the steps do the same on the same hosts. */
const IGNORED_SETTING_REASONS: Readonly<Record<string, string>> = {
  group: 'Plans are saved in the collection that you choose.',
  schedule: SCHEDULES_REASON,
  schedules: SCHEDULES_REASON,
  notification: 'Notifications are not carried over.',
  notifyAvgDurationThreshold: 'Notifications are not carried over.',
  retry: 'A whole run is not repeated automatically. Set retries for the steps that may be repeated.',
  plugins: 'Runward runs no Rundeck plugins.',
  loglimit: LIMITS_REASON,
  loglimitAction: LIMITS_REASON,
  loglimitStatus: LIMITS_REASON,
  logFormat: LIMITS_REASON,
  user: 'The member who imports the plan owns it.',
  runnerSelector: 'Runners are not carried over.',
  maxMultipleExecutions: 'The number of simultaneous runs is not limited.',
};
/** Settings without which the plan would behave differently. */
const CHANGED_SETTING_REASONS: Readonly<Record<string, string>> = {
  orchestrator: 'It selected some of the hosts, or their order. Set the targets and the batch of the steps.',
};

/**
 * Reports the settings of a job that a plan does not have.
 * @returns questions for a gate before the first step, one for each setting that changes what the job does
 */
export function describeSettings(job: Fields, path: string, context: JobContext): string[] {
  const questions: string[] = [];
  const ask = (field: string, reason: string) => {
    addNote(context, `${path}/${field}`, null, field, reason);
    questions.push(`${field}: ${reason}`);
  };
  for (const [field, value] of Object.entries(job)) {
    if (IGNORED_FIELDS.has(field) || !hasValue(value)) continue;
    const listed = IGNORED_SETTING_REASONS[field];
    if (listed !== undefined) {
      if (value !== false) addNote(context, `${path}/${field}`, null, field, listed);
    } else if (field !== 'nodesSelectedByDefault' && value !== false)
      ask(field, CHANGED_SETTING_REASONS[field] ?? 'A plan has no such setting.');
  }
  const is = (field: string, value: string) => toText(job[field]) === value;
  if (is('nodesSelectedByDefault', 'false'))
    addNote(context, `${path}/nodesSelectedByDefault`, null, 'nodesSelectedByDefault', 'A start uses all targets.');
  if (toText(job.loglevel) !== null && !is('loglevel', 'INFO'))
    addNote(context, `${path}/loglevel`, null, 'loglevel', 'All output of the commands is stored.');
  if (is('executionEnabled', 'false')) ask('executionEnabled', 'The job was disabled, but a plan cannot be disabled.');
  return [...questions, ...describeSequence(job.sequence as Fields, `${path}/sequence`, context)];
}

const STRATEGIES = ['node-first', 'step-first', 'sequential', 'parallel'];
const SEQUENCE_FIELDS = ['keepgoing', 'strategy', 'commands', 'pluginConfig'];

function describeSequence(sequence: Fields, path: string, context: JobContext): string[] {
  const questions: string[] = [];
  const ask = (field: string, what: string, reason: string) => {
    addNote(context, `${path}/${field}`, null, what, reason);
    questions.push(`${what}: ${reason}`);
  };
  const strategy = toText(sequence.strategy) ?? 'node-first';
  if (!STRATEGIES.includes(strategy))
    ask('strategy', `strategy ${strategy}`, 'It determined which steps run. Set conditions for the steps (when).');
  if (hasValue(sequence.pluginConfig))
    addNote(context, `${path}/pluginConfig`, null, 'pluginConfig', 'Runward runs no Rundeck plugins.');
  for (const field of Object.keys(sequence))
    if (!SEQUENCE_FIELDS.includes(field) && hasValue(sequence[field]) && sequence[field] !== false)
      ask(field, field, 'A plan has no such setting.');
  return questions;
}

export function toFlowFields(job: Fields, path: string, where: JobTargets, context: JobContext): Fields {
  const sequence = job.sequence as Fields;
  const steps = Array.isArray(sequence.commands) ? sequence.commands.length : 0;
  const strategy = toText(sequence.strategy) ?? 'node-first';
  if (strategy === 'node-first' && where.batch !== null && steps > 1) {
    const reason = 'A step ends on all hosts before the next one begins. Its hosts run in batches of the thread count.';
    addNote(context, `${path}/sequence/strategy`, null, 'strategy node-first', reason);
  } else if (strategy === 'parallel')
    addNote(context, `${path}/sequence/strategy`, null, 'strategy parallel', 'Steps run one after another.');
  if (isTrue(sequence.keepgoing)) {
    const reason =
      'Later steps run on the hosts that have not failed. Steps that must run on all of them are set to always.';
    addNote(context, `${path}/sequence/keepgoing`, null, 'keepgoing', reason);
  }
  const timeoutSeconds = readTimeoutSeconds(job, path, context);
  return {
    ...(isTrue(sequence.keepgoing) ? { onFailure: 'continue' } : {}),
    ...(where.continuesOnFailure ? { maxFailPercent: 100 } : {}),
    ...(timeoutSeconds === null ? {} : { timeoutSeconds }),
  };
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

function readTimeoutSeconds(job: Fields, path: string, context: JobContext): number | null {
  const said = toText(job.timeout);
  if (said === null || said === '0') return null;
  const parts = [...said.matchAll(/(\d{1,9})\s*([smhdw]?)/g)];
  const seconds = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNIT_SECONDS[unit || 's'] ?? 1), 0);
  if (/^(\s*\d{1,9}\s*[smhdw]?)+\s*$/.test(said) && seconds >= 1 && seconds <= 86_400) return seconds;
  addNote(
    context,
    `${path}/timeout`,
    null,
    'timeout',
    'It is not between a second and a day, so the plan has no time limit.',
  );
  return null;
}
