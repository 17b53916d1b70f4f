import type { StepType } from '../../../api/types';
import type { StepRow } from '../form/step-form';
import { formType } from '../form/types/step-types';

export type StepGroup = 'where' | 'when' | 'failure' | 'advanced';

export const GROUP_TITLES: Record<StepGroup, string> = {
  where: 'Hosts',
  when: 'Conditions',
  failure: 'Failure handling',
  advanced: 'More settings',
};

/** Fields of each group, by their names in errors of the server. */
const FIELDS: Record<StepGroup, readonly (keyof StepRow | 'forEach')[]> = {
  where: ['targets', 'runOnce', 'batch'],
  when: ['when', 'forEach', 'onlyIfChanged', 'unless', 'confirm'],
  failure: ['timeoutSeconds', 'retries', 'maxFailPercent', 'onFailure', 'always'],
  advanced: [
    'become',
    'workingDirectory',
    'environment',
    'okExitCodes',
    'changedExitCodes',
    'readOnly',
    'idempotent',
    'outputs',
    'check',
  ],
};

/** Returns the groups of a step type. A pause runs on no host. */
export function groupsOf(type: StepType): StepGroup[] {
  const { runs, process } = formType(type);
  if (runs === 'pause') return ['when', 'failure'];
  if (runs === 'call') return ['where', 'when'];
  return ['where', 'when', 'failure', ...(process ? (['advanced'] as const) : [])];
}

export const groupsWithErrors = (errors: Readonly<Record<string, unknown>>, index: number): StepGroup[] =>
  (Object.keys(FIELDS) as StepGroup[]).filter((group) =>
    FIELDS[group].some((field) =>
      Object.keys(errors).some(
        (path) => path === `steps.${index}.${field}` || path.startsWith(`steps.${index}.${field}.`),
      ),
    ),
  );

/** Summarises a group's values, for the header of the closed group. */
export function describeGroup(group: StepGroup, step: StepRow): string {
  const settings = groupSettings(group, step);
  return settings.length > 0 ? settings.join(group === 'when' ? '; ' : ', ') : DEFAULTS[group];
}

const DEFAULTS: Record<StepGroup, string> = {
  where: 'All hosts of the plan',
  when: 'Always',
  failure: 'As set in the plan',
  advanced: 'Defaults',
};

/** Returns a phrase for each setting of the group that differs from its default. */
export function groupSettings(group: StepGroup, step: StepRow): string[] {
  return { where: whereSettings, when: whenSettings, failure: failureSettings, advanced: advancedSettings }[group](
    step,
  );
}

const whereSettings = ({ targets, runOnce, batch }: StepRow): string[] => {
  const details = [
    ...(runOnce ? ['once, on the first host'] : []),
    ...(batch.trim() ? [`${batch.trim()} at a time`] : []),
  ];
  const hosts = targets.trim() || (details.length > 0 ? DEFAULTS.where : '');
  return [...(hosts ? [hosts] : []), ...details];
};

function whenSettings({ when, onlyIfChanged, unless, confirm, type, ...loop }: StepRow): string[] {
  const { runs, process } = formType(type);
  return [
    ...(runs !== 'pause' && loop.repeats === 'items' ? [`once for each of ${loop.items.length} items`] : []),
    ...(runs !== 'pause' && loop.repeats === 'variable' ? [`once for each item of ${loop.listName}`] : []),
    ...(when.trim() ? [`if ${when.trim()}`] : []),
    ...(onlyIfChanged.length > 0 ? [`after a change by ${onlyIfChanged.join(', ')}`] : []),
    ...(process && unless.trim() ? [`unless ${unless.trim().split('\n')[0]} succeeds`] : []),
    ...(confirm ? ['needs confirmation'] : []),
  ];
}

function failureSettings({ timeoutSeconds, retries, maxFailPercent, onFailure, always, type }: StepRow): string[] {
  const { count, delaySeconds, backoff } = retries;
  const wait = delaySeconds === '' || delaySeconds === 0 ? '' : ` after ${delaySeconds} s`;
  return [
    ...(timeoutSeconds === ''
      ? []
      : [formType(type).runs === 'pause' ? `expires after ${timeoutSeconds} s` : `${timeoutSeconds} s per host`]),
    ...(count === '' ? [] : [`retries ${count}×${wait}${backoff === 'exponential' ? ', doubling' : ''}`]),
    ...(maxFailPercent === '' ? [] : [`${maxFailPercent} % may fail`]),
    ...(onFailure === '' ? [] : [onFailure === 'stop' ? 'then stops' : 'then continues']),
    ...(always ? ['always runs'] : []),
  ];
}

function advancedSettings(step: StepRow): string[] {
  if (formType(step.type).process === 'user') return step.become.trim() ? [`as ${step.become.trim()}`] : [];
  const { become, workingDirectory, environment, okExitCodes, changedExitCodes, outputs, check } = step;
  return [
    ...(become.trim() ? [`as ${become.trim()}`] : []),
    ...(workingDirectory.trim() ? [`in ${workingDirectory.trim()}`] : []),
    ...(environment.trim() ? ['sets environment variables'] : []),
    ...(okExitCodes.length > 0 ? [`success exit codes ${okExitCodes.join(', ')}`] : []),
    ...(changedExitCodes.length > 0 ? [`change exit codes ${changedExitCodes.join(', ')}`] : []),
    ...(step.readOnly ? ['read only'] : []),
    ...(step.idempotent ? ['safe to repeat'] : []),
    ...(outputs.length > 0 ? [`sets ${outputs.join(', ')}`] : []),
    ...(check.trim() ? ['has a test command'] : []),
  ];
}
