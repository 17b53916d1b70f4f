import type { VariableValue } from '../../variables/variable-value.js';
import type { VariableDefinition } from '../variables/variable-definition.js';

export const STEP_TYPES = ['command', 'script', 'template', 'file', 'wait', 'gate', 'plan'] as const;
export type StepType = (typeof STEP_TYPES)[number];

export const FAILURE_POLICIES = ['stop', 'continue'] as const;
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];

export const STRATEGIES = ['barrier', 'free'] as const;
/** When a step starts on a host: after all hosts have finished the previous step, or independently of other hosts. */
export type Strategy = (typeof STRATEGIES)[number];

export const BACKOFFS = ['constant', 'exponential'] as const;

export interface StepRetries {
  count: number;
  /** Delay before the first retry, in seconds. */
  delaySeconds: number;
  backoff: (typeof BACKOFFS)[number];
}

interface StepBase {
  key: string;
  name: string;
  targets: string;
  /** Time limit per host, in seconds; for a gate, the time for an answer. */
  timeoutSeconds: number;
  runOnce: boolean;
  /** Condition for `evaluateCondition`; null = always. */
  when: string | null;
  retries: StepRetries | null;
  /** Batch size: a number such as "5", or a percentage of hosts such as "25%"; null = all hosts. */
  batch: string | null;
  /** Percentage of hosts that may fail, 0 to 100; null = limit of the plan, which counts all hosts of the run. */
  maxFailPercent: number | null;
  /** Null = the plan's setting. */
  onFailure: FailurePolicy | null;
  always: boolean;
  confirm: boolean;
  /** Keys of earlier steps. If not empty, the step runs only on hosts that one of these changed. */
  onlyIfChanged: string[];
}

export interface ProgramFields {
  /** User for sudo; null = the login user. */
  become: string | null;
  workingDirectory: string | null;
  /** Environment variables. They are not secret and not templates. */
  environment: Record<string, string>;
  okExitCodes: number[];
  /** Further exit codes that mean success. If there are any, only these count as a change. */
  changedExitCodes: number[];
  /** Command template. If it succeeds, the step is skipped. */
  unless: string | null;
  /** Command template for dry runs. Exit code 0 = no change, 1 = would change, other = unknown. */
  check: string | null;
  readOnly: boolean;
  /** Whether the step may be restarted automatically after its connection was lost. */
  idempotent: boolean;
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
  /** Text templates, one per argument, see `renderArgument`. */
  arguments: string[];
  interpreter: string | null;
}

export interface TemplateStep extends StepBase {
  type: 'template';
  templateId: string;
  path: string;
  /** Name or number of a user; null = unchanged. A new file then belongs to the user who writes it. */
  owner: string | null;
  group: string | null;
  /** Octal, such as "0644"; null = unchanged. A new file then gets its mode from the umask. */
  mode: string | null;
  backup: boolean;
  /** Command template in which `%s` is the new file. If it fails, the old file stays. */
  validate: string | null;
  become: string | null;
  /** Command template. If it succeeds, the step is skipped. */
  unless: string | null;
}

export interface FileStep
  extends StepBase,
    Pick<TemplateStep, 'path' | 'owner' | 'group' | 'mode' | 'backup' | 'become' | 'unless'> {
  type: 'file';
  gitSourceId: string;
  sourcePath: string;
  /** Branch, tag or commit; null = the branch of the source. */
  ref: string | null;
}

export type WritingStep = TemplateStep | FileStep;

/** Waits until a TCP port or a URL responds to the host. Either port or URL is set. */
export interface WaitStep extends StepBase {
  type: 'wait';
  port: number | null;
  url: string | null;
}

export interface GateStep extends StepBase {
  type: 'gate';
  message: string;
  /** Marks work that the plan lacks: dry runs are blocked here, and no rerun starts after it. Absent = false. */
  placeholder?: boolean;
}

export type PlanStep = CommandStep | ScriptStep | TemplateStep | FileStep | WaitStep | GateStep;

/** Calls another plan. Of the common fields, a call can set only `targets`, `when`, `always` and `confirm`. */
export interface CallStep extends StepBase {
  type: 'plan';
  planId: string;
  /** Values for variables of the called plan. `{{ name }}` is the caller's variable, with its type and secrecy. */
  variables: Record<string, VariableValue>;
  /** Source of each output of this step, as `step.output` of the called plan. */
  outputsFrom: Record<string, string>;
}

interface LoopedStep {
  /** Name of a list variable, or the items; null or absent = no loop. */
  forEach?: string | string[] | null;
}

/** Step as written in the plan. In runs, calls and loops are already expanded. */
export type WrittenStep = (PlanStep | CallStep) & LoopedStep;

export const ITEM_VARIABLE = 'item';

export function listOutputs(step: PlanStep | CallStep): readonly string[] {
  if (step.type === 'plan') return Object.keys(step.outputsFrom);
  return 'outputs' in step ? step.outputs : [];
}

export interface PlanContent {
  targets: string;
  variables: VariableDefinition[];
  steps: WrittenStep[];
  /** Time limit of the whole run, in seconds; null = none. */
  timeoutSeconds: number | null;
  /** Percentage of the run's hosts that may fail, 0 to 100. Applies to steps without their own limit. */
  maxFailPercent: number;
  onFailure: FailurePolicy;
  strategy: Strategy;
  /** Whether runs in one environment may be concurrent if they share no host. */
  parallelSafe: boolean;
  /** Names of locks. Only one run of the tenant holds a lock at a time. */
  locks: string[];
  /** Modes in which a run can start; empty = all. */
  allowedModes: string[];
}

const BASE_DEFAULTS = {
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

const LOOP_DEFAULTS = { forEach: null };

const PROGRAM_DEFAULTS = {
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
  command: { ...BASE_DEFAULTS, ...LOOP_DEFAULTS, ...PROGRAM_DEFAULTS, type: 'command', command: '' } satisfies Omit<
    CommandStep,
    'key' | 'name'
  >,
  script: {
    ...{ ...BASE_DEFAULTS, ...LOOP_DEFAULTS, ...PROGRAM_DEFAULTS },
    type: 'script',
    scriptId: '',
    arguments: [],
    interpreter: null,
  } satisfies Omit<ScriptStep, 'key' | 'name'>,
  template: {
    ...BASE_DEFAULTS,
    ...LOOP_DEFAULTS,
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
    ...BASE_DEFAULTS,
    ...LOOP_DEFAULTS,
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
  wait: { ...BASE_DEFAULTS, ...LOOP_DEFAULTS, type: 'wait', timeoutSeconds: 600, port: null, url: null } satisfies Omit<
    WaitStep,
    'key' | 'name'
  >,
  gate: { ...BASE_DEFAULTS, type: 'gate', timeoutSeconds: 14_400, message: '' } satisfies Omit<
    GateStep,
    'key' | 'name'
  >,
  plan: {
    ...BASE_DEFAULTS,
    ...LOOP_DEFAULTS,
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

/** Reads the content of a stored revision or snapshot. Fields that are newer than it get their defaults. */
export function readPlanContent(stored: object): PlanContent {
  const content = { ...EMPTY_PLAN, ...stored };
  return { ...content, steps: content.steps.map(addStepDefaults) };
}

const addStepDefaults = (stored: WrittenStep): WrittenStep => ({ ...STEP_DEFAULTS[stored.type], ...stored });
