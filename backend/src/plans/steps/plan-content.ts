import type { VariableValue } from '../../common/variables/variable-value.js';
import type { VariableDefinition } from '../variables/variable-definition.js';

export const STEP_TYPES = ['command', 'script', 'template', 'file', 'wait', 'gate', 'plan'] as const;
export type StepType = (typeof STEP_TYPES)[number];

export const FAILURE_POLICIES = ['stop', 'continue'] as const;
/** What happens after a step that failed beyond its limit. */
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];

export const STRATEGIES = ['barrier', 'free'] as const;
/** Whether a step starts after all hosts have finished the previous step, or hosts continue independently. */
export type Strategy = (typeof STRATEGIES)[number];

export const BACKOFFS = ['constant', 'exponential'] as const;

export interface StepRetries {
  /** Retries after the first attempt, from 1. */
  count: number;
  /** Seconds before the first retry. */
  delaySeconds: number;
  backoff: (typeof BACKOFFS)[number];
}

interface StepBase {
  /** Unique in the plan; identifies the step in results and links. */
  key: string;
  name: string;
  /** Selector that narrows the plan's targets; empty = all. */
  targets: string;
  /** Seconds per host; for a gate, the time for an answer. */
  timeoutSeconds: number;
  runOnce: boolean;
  /** Condition, see `evaluateCondition`; null = always. */
  when: string | null;
  retries: StepRetries | null;
  /** Batch size: a number such as "5" or a percentage such as "25%"; null = all hosts. */
  batch: string | null;
  /** Percentage of hosts that may fail, 0 to 100; null = the plan's limit, over all hosts of the run. */
  maxFailPercent: number | null;
  /** Null = the plan's. */
  onFailure: FailurePolicy | null;
  /** Runs even after a failure. */
  always: boolean;
  /** Waits for confirmation in modes with confirmations. */
  confirm: boolean;
  /** Keys of earlier steps; if not empty, the step runs only on hosts that one of them changed. */
  onlyIfChanged: string[];
}

export interface ProgramFields {
  /** User for sudo; null = the login user. */
  become: string | null;
  workingDirectory: string | null;
  /** Environment variables; not secret, not templates. */
  environment: Record<string, string>;
  okExitCodes: number[];
  /** Additional codes of success; if not empty, only these count as a change. */
  changedExitCodes: number[];
  /** Command template; if it succeeds, the step is skipped. */
  unless: string | null;
  /** Command template for dry runs: 0 = no change, 1 = would change, other = unknown. */
  check: string | null;
  readOnly: boolean;
  /** May be restarted automatically after its connection was lost. */
  idempotent: boolean;
  /** Outputs that it may set by `name=value` lines in $RUNWARD_OUTPUT. */
  outputs: string[];
}

export interface CommandStep extends StepBase, ProgramFields {
  type: 'command';
  /** Liquid template of POSIX shell text, see `renderCommand`. */
  command: string;
}

export interface ScriptStep extends StepBase, ProgramFields {
  type: 'script';
  scriptId: string;
  /** Text templates, one argument each, see `renderArgument`. */
  arguments: string[];
  /** Null = the script's own. */
  interpreter: string | null;
}

/** Renders a template of the library to a file. Writes only if the file differs. */
export interface TemplateStep extends StepBase {
  type: 'template';
  templateId: string;
  /** Absolute. */
  path: string;
  /** Name or number of a user; null = unchanged, or for a new file the user who writes it. */
  owner: string | null;
  group: string | null;
  /** Octal, such as "0644"; null = unchanged, or for a new file from the umask. */
  mode: string | null;
  /** Keeps a copy of the replaced file in the same folder. */
  backup: boolean;
  /** Command template in which `%s` is the new file; if it fails, the old file stays. */
  validate: string | null;
  /** User who writes the file, by sudo; null = the login user. */
  become: string | null;
  /** Command template; if it succeeds, the step is skipped. */
  unless: string | null;
}

/** Copies a file of a git source to a path. Writes only if the file differs. */
export interface FileStep
  extends StepBase,
    Pick<TemplateStep, 'path' | 'owner' | 'group' | 'mode' | 'backup' | 'become' | 'unless'> {
  type: 'file';
  gitSourceId: string;
  /** Relative to the root of the repository. */
  sourcePath: string;
  /** Branch, tag or commit; null = the branch of the source. */
  ref: string | null;
}

export type WritingStep = TemplateStep | FileStep;

/** Waits until a TCP port or a URL responds to the host. Exactly one of the two is set. */
export interface WaitStep extends StepBase {
  type: 'wait';
  port: number | null;
  url: string | null;
}

export interface GateStep extends StepBase {
  type: 'gate';
  message: string;
  /** Placeholder for missing work: blocks dry runs, and no rerun starts after it. Absent: false. */
  placeholder?: boolean;
}

export type PlanStep = CommandStep | ScriptStep | TemplateStep | FileStep | WaitStep | GateStep;

/** Calls another plan. Of the common fields, only targets, `when`, `always` and `confirm` may be set. */
export interface CallStep extends StepBase {
  type: 'plan';
  planId: string;
  /** Values for variables of the called plan; `{{ name }}` is the caller's variable with its type and secrecy. */
  variables: Record<string, VariableValue>;
  /** Outputs of this step, each as `step.output` of the called plan. */
  outputsFrom: Record<string, string>;
}

/** A step that may be repeated for each item of a list. */
interface LoopedStep {
  /** Name of a list variable, or the items; null or absent = runs once. */
  forEach?: string | string[] | null;
}

/** A step as written. In runs, calls and loops are already expanded. */
export type WrittenStep = (PlanStep | CallStep) & LoopedStep;

/** Variable of the current item in a step with `forEach`. */
export const ITEM = 'item';

/** Names of the outputs that later steps can use. */
export function outputsOf(step: PlanStep | CallStep): readonly string[] {
  if (step.type === 'plan') return Object.keys(step.outputsFrom);
  return 'outputs' in step ? step.outputs : [];
}

export interface PlanContent {
  /** Selector over the servers of the environment; empty = all. */
  targets: string;
  variables: VariableDefinition[];
  steps: WrittenStep[];
  /** Time limit of the whole run, in s; null = none. */
  timeoutSeconds: number | null;
  /** Percentage of the run's hosts that may fail, 0 to 100, for steps without their own limit. */
  maxFailPercent: number;
  onFailure: FailurePolicy;
  strategy: Strategy;
  /** Allows concurrent runs in one environment if they share no host. */
  parallelSafe: boolean;
  /** Named locks; each is held by one run of the tenant at a time. */
  locks: string[];
  /** Allowed modes of a start; empty = all. */
  allowedModes: string[];
}

const BASE = {
  targets: '',
  runOnce: false,
  when: null,
  retries: null,
  batch: null,
  maxFailPercent: null,
  onFailure: null,
  always: false,
  confirm: false,
  onlyIfChanged: [],
};

/** All types except gates. */
const LOOPED = { forEach: null };

const PROGRAM = {
  timeoutSeconds: 600,
  become: null,
  workingDirectory: null,
  environment: {},
  okExitCodes: [0],
  changedExitCodes: [],
  unless: null,
  check: null,
  readOnly: false,
  idempotent: false,
  outputs: [],
};

export const STEP_DEFAULTS = {
  command: { ...BASE, ...LOOPED, ...PROGRAM, type: 'command', command: '' } satisfies Omit<CommandStep, 'key' | 'name'>,
  script: {
    ...{ ...BASE, ...LOOPED, ...PROGRAM },
    type: 'script',
    scriptId: '',
    arguments: [],
    interpreter: null,
  } satisfies Omit<ScriptStep, 'key' | 'name'>,
  template: {
    ...BASE,
    ...LOOPED,
    type: 'template',
    timeoutSeconds: 600,
    templateId: '',
    path: '',
    owner: null,
    group: null,
    mode: null,
    backup: false,
    validate: null,
    become: null,
    unless: null,
  } satisfies Omit<TemplateStep, 'key' | 'name'>,
  file: {
    ...BASE,
    ...LOOPED,
    type: 'file',
    timeoutSeconds: 600,
    gitSourceId: '',
    sourcePath: '',
    ref: null,
    path: '',
    owner: null,
    group: null,
    mode: null,
    backup: false,
    become: null,
    unless: null,
  } satisfies Omit<FileStep, 'key' | 'name'>,
  wait: { ...BASE, ...LOOPED, type: 'wait', timeoutSeconds: 600, port: null, url: null } satisfies Omit<
    WaitStep,
    'key' | 'name'
  >,
  gate: { ...BASE, type: 'gate', timeoutSeconds: 14_400, message: '' } satisfies Omit<GateStep, 'key' | 'name'>,
  plan: {
    ...BASE,
    ...LOOPED,
    type: 'plan',
    timeoutSeconds: 600,
    planId: '',
    variables: {},
    outputsFrom: {},
  } satisfies Omit<CallStep, 'key' | 'name'>,
} as const;

export const writesFile = (step: PlanStep | CallStep): step is WritingStep =>
  step.type === 'template' || step.type === 'file';

export const isPlaceholder = (step: WrittenStep): boolean => step.type === 'gate' && step.placeholder === true;

export const EMPTY_PLAN: Readonly<PlanContent> = {
  targets: '',
  variables: [],
  steps: [],
  timeoutSeconds: null,
  maxFailPercent: 0,
  onFailure: 'stop',
  strategy: 'barrier',
  parallelSafe: false,
  locks: [],
  allowedModes: [],
};

/** Content of a stored revision or snapshot. Fields that did not exist when it was stored get their defaults. */
export function readPlanContent(stored: object): PlanContent {
  const content = { ...EMPTY_PLAN, ...stored };
  return { ...content, steps: content.steps.map(readStep) };
}

const readStep = (stored: WrittenStep): WrittenStep => ({ ...STEP_DEFAULTS[stored.type], ...stored });
