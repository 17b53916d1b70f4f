import type { VariableValue } from '../../common/variables/variable-value.js';
import type { VariableDefinition } from '../variables/variable-definition.js';

export const STEP_TYPES = ['command', 'script', 'template', 'file', 'wait', 'gate', 'plan'] as const;
export type StepType = (typeof STEP_TYPES)[number];

export const FAILURE_POLICIES = ['stop', 'continue'] as const;
/** What happens after a step that failed beyond its threshold. */
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];

export const STRATEGIES = ['barrier', 'free'] as const;
/** Whether a step begins when every host of the one before has a result, or each host goes on by itself. */
export type Strategy = (typeof STRATEGIES)[number];

export const BACKOFFS = ['constant', 'exponential'] as const;

export interface StepRetries {
  /** Attempts after the first one, from 1. */
  count: number;
  /** Seconds before the first of them. */
  delaySeconds: number;
  /** Whether the delay stays or doubles each time. */
  backoff: (typeof BACKOFFS)[number];
}

interface StepBase {
  /** Unique in the plan; names the step in results and links. */
  key: string;
  name: string;
  /** Selector that narrows the plan's targets; empty for all of them. */
  targets: string;
  /** Seconds for one host; for a gate, until nobody's answer ends the run. */
  timeoutSeconds: number;
  /** On the first of its hosts only. */
  runOnce: boolean;
  /** A condition, see `evaluateCondition`; null: always. */
  when: string | null;
  retries: StepRetries | null;
  /** Hosts at a time: a number such as "5" or a share such as "25%"; null: all. */
  batch: string | null;
  /** Percent of its hosts that may fail, 0 to 100; null: the plan's, over the hosts of the run. */
  maxFailPercent: number | null;
  /** Null: the plan's. */
  onFailure: FailurePolicy | null;
  /** Runs even after a failure. */
  always: boolean;
  /** Waits for a person first, in the modes that ask. */
  confirm: boolean;
  /** Keys of earlier steps; when there are any, the step runs only on hosts that one of them changed. */
  onlyIfChanged: string[];
}

/** What is set of a command or a script. */
export interface ProgramFields {
  /** User that it runs as, by sudo; null: the login user. */
  become: string | null;
  workingDirectory: string | null;
  /** Not secret, not templates. */
  environment: Record<string, string>;
  okExitCodes: number[];
  /** Success too; when there are any, only these count as a change. */
  changedExitCodes: number[];
  /** A command template: where it succeeds, the step is skipped. */
  unless: string | null;
  /** A command template for dry runs: 0 means nothing to change, 1 that it would change, others that it can't tell. */
  check: string | null;
  /** Never changes anything. */
  readOnly: boolean;
  /** May be started again by itself after it was lost. */
  idempotent: boolean;
  /** Names that it may set by `name=value` lines in the file $RUNWARD_OUTPUT. */
  outputs: string[];
}

/** A step that runs one shell command on each of its hosts. */
export interface CommandStep extends StepBase, ProgramFields {
  type: 'command';
  /** A Liquid template of POSIX shell text, see `renderCommand`. */
  command: string;
}

/** A step that runs a script of the library. */
export interface ScriptStep extends StepBase, ProgramFields {
  type: 'script';
  scriptId: string;
  /** Templates of text: each comes to the script as one argument, whatever is in it. See `renderArgument`. */
  arguments: string[];
  /** Null: the script's own. */
  interpreter: string | null;
}

/** A step that renders a config template of the library to a file. Only a file that differs is written. */
export interface TemplateStep extends StepBase {
  type: 'template';
  templateId: string;
  /** Absolute. */
  path: string;
  /** Name or number of a user; null: that of the file, or who writes it. */
  owner: string | null;
  group: string | null;
  /** Octal such as "0644"; null: that of the file, or what the umask leaves. */
  mode: string | null;
  /** Keeps a file that is replaced beside it. */
  backup: boolean;
  /** A command template in which `%s` stands for the new file: where it fails, the old file stays. */
  validate: string | null;
  /** User that writes it, by sudo; null: the login user. */
  become: string | null;
  /** A command template: where it succeeds, the step is skipped. */
  unless: string | null;
}

/** A step that puts a file of a git source at a path. Only a file that differs is written. */
export interface FileStep
  extends StepBase,
    Pick<TemplateStep, 'path' | 'owner' | 'group' | 'mode' | 'backup' | 'become' | 'unless'> {
  type: 'file';
  gitSourceId: string;
  /** From the top of the repository. */
  sourcePath: string;
  /** A branch, a tag or a commit; null: the branch of the source. */
  ref: string | null;
}

/** A step that brings a file on its hosts to a content. */
export type WritingStep = TemplateStep | FileStep;

/** A step that waits until a TCP port or a URL answers, seen from the host. Exactly one of the two is given. */
export interface WaitStep extends StepBase {
  type: 'wait';
  port: number | null;
  url: string | null;
}

/** A step that waits for a person. */
export interface GateStep extends StepBase {
  type: 'gate';
  message: string;
  /** Stands for work that the plan lacks: a dry run is blocked here, and no rerun begins after it. Absent: false. */
  placeholder?: boolean;
}

/** What a run does on hosts or waits for. */
export type PlanStep = CommandStep | ScriptStep | TemplateStep | FileStep | WaitStep | GateStep;

/**
 * A step in whose place the steps of another plan run. Of what all steps have, only targets, `when`, `always` and `confirm`
 * are its own; the rest is as by default.
 */
export interface CallStep extends StepBase {
  type: 'plan';
  planId: string;
  /** Values for variables of the called plan; `{{ name }}` is the caller's variable of that name, with its type and secrecy. */
  variables: Record<string, VariableValue>;
  /** Outputs of this step, each as `step.output` of the called plan. */
  outputsFrom: Record<string, string>;
}

/** A step that may be written out once for each item of a list. */
interface LoopedStep {
  /** The name of a variable of the type list, or the items; null or absent: the step runs once. */
  forEach?: string | string[] | null;
}

/** A step as people write it. A run has none that calls a plan or goes through a list: they are written out at its start. */
export type WrittenStep = (PlanStep | CallStep) & LoopedStep;

/** The variable that has the item within a step with `forEach`. */
export const ITEM = 'item';

/** Names of the outputs that later steps may ask for. */
export function outputsOf(step: PlanStep | CallStep): readonly string[] {
  if (step.type === 'plan') return Object.keys(step.outputsFrom);
  return 'outputs' in step ? step.outputs : [];
}

/** What a revision of a plan holds. */
export interface PlanContent {
  /** Selector over the servers of the environment; empty for all of them. */
  targets: string;
  variables: VariableDefinition[];
  steps: WrittenStep[];
  /** Seconds for the whole run; null for no limit of its own. */
  timeoutSeconds: number | null;
  /** Percent of the run's hosts that may fail, 0 to 100, for steps that have no limit of their own. */
  maxFailPercent: number;
  onFailure: FailurePolicy;
  strategy: Strategy;
  /** Several runs of the plan may go on in one environment, as long as they share no host. */
  parallelSafe: boolean;
  /** Names that only one run of the tenant holds at a time. */
  locks: string[];
  /** Modes that a start may choose; empty: all. */
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

/** Of all types but gates. */
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

/** What a step has where nothing else is said. */
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

/** A plan without steps, with what holds where nothing else is said. */
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

/**
 * The content that a stored revision or a run's snapshot holds. Those from before a field was known lack it, and get
 * what it means to leave it out.
 */
export function readPlanContent(stored: object): PlanContent {
  const content = { ...EMPTY_PLAN, ...stored };
  return { ...content, steps: content.steps.map(readStep) };
}

const readStep = (stored: WrittenStep): WrittenStep => ({ ...STEP_DEFAULTS[stored.type], ...stored });
