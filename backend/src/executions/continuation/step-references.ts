import type { PlanStep } from '../../plans/steps/plan-content.js';
import type { Snapshot } from '../record/execution-row.js';
import type { RunStep } from '../record/run-content.js';
import { isPartOf } from '../scopes/scope-facts.js';
import type { FrozenLibrary } from '../record/library.js';

export interface StepReference {
  key: string;
  outputs: readonly string[];
}

export interface ReadingSteps {
  steps: readonly RunStep[];
  /** Returns the variables of a scope; null = the run's own plan. */
  namesIn: (scope: number | null) => readonly { name: string }[];
}

export function readingSteps({ plan, scopes = [] }: Pick<Snapshot, 'plan' | 'scopes'>): ReadingSteps {
  const namesIn = (scope: number | null): readonly { name: string }[] => {
    const frozen = scope === null ? undefined : scopes[scope];
    if (!frozen) return plan.variables;
    return frozen.call?.definitions ?? namesIn(frozen.around);
  };
  return { steps: plan.steps, namesIn };
}

/**
 * Returns the earlier steps whose results a step reads: in rendered text, in conditions, and as a handler. Keys in
 * references are always literals, because plans with other keys cannot be saved.
 */
export function referencesOf(
  { steps, namesIn }: ReadingSteps,
  index: number,
  library: FrozenLibrary | undefined,
): StepReference[] {
  const step = steps[index];
  if (!step) return [];
  // A plan variable named `steps` hides the results of steps.
  const hidesSteps = (scope: number | null) => namesIn(scope).some(({ name }) => name === 'steps');
  const { values = null, prefix = '', outer = [] } = step.scope ?? {};
  const reads = [
    ...(hidesSteps(values) ? [] : [readOf(textsOf(step)), readInFile(step, library)].map((read) => ({ read, prefix }))),
    ...outer.flatMap((each) => (hidesSteps(each.values) ? [] : [{ read: readOf([each.when]), prefix: each.prefix }])),
  ].filter(({ read }) => read.size > 0);
  const handledKeys = new Set(step.onlyIfChanged);
  return steps.slice(0, index).flatMap((earlier): StepReference[] => {
    const found = reads.flatMap(({ read, prefix: begin }) => readsOf(read, begin, earlier));
    if (found.length === 0 && !handledKeys.has(earlier.key)) return [];
    const isRead = (name: string): boolean => found.some((outputs) => outputs === 'all' || outputs.has(name));
    return [{ key: earlier.key, outputs: outputsOf(earlier).filter(isRead) }];
  });
}

/**
 * Returns the outputs of a step that are read. Through the call or list that contains the step, all of its outputs
 * count as read.
 */
function readsOf(read: Read, prefix: string, { key, scope }: RunStep): (ReadonlySet<string> | 'all')[] {
  if (!key.startsWith(prefix)) return [];
  const directReads = read.get(key.slice(prefix.length));
  if (directReads) return [directReads];
  return scope && [...read.keys()].some((each) => isPartOf(key, prefix, each)) ? ['all'] : [];
}

type Read = ReadonlyMap<string, ReadonlySet<string>>;
const NO_READS: Read = new Map();

/** Matches `.name`, `["name"]` or `['name']`. A name has at most 64 characters. */
const FIELD = String.raw`(?:\.\s*([\w-]+)|\[\s*(?:"([^"]{1,64})"|'([^']{1,64})')\s*\])`;
const OUTPUTS = String.raw`(?:\.\s*outputs(?![\w-])|\[\s*(?:"outputs"|'outputs')\s*\])`;
const STEP_READS = RegExp(String.raw`\bsteps\s*${FIELD}(?:\s*${OUTPUTS}\s*${FIELD})?`, 'g');

function readOf(texts: readonly string[]): Read {
  const read = new Map<string, Set<string>>();
  for (const text of texts) {
    for (const [, a, b, c, x, y, z] of text.matchAll(STEP_READS)) {
      const key = a ?? b ?? c ?? '';
      const outputs = read.get(key) ?? new Set();
      read.set(key, outputs.add(x ?? y ?? z ?? ''));
    }
  }
  return read;
}

/** Cache by frozen template: a template can be long, and many steps may use the same one. */
const inFiles = new WeakMap<object, Read>();

function readInFile(step: PlanStep, library: FrozenLibrary | undefined): Read {
  const file = step.type === 'template' ? library?.templates[step.templateId] : undefined;
  if (!file) return NO_READS;
  const read = inFiles.get(file) ?? readOf([file.content]);
  inFiles.set(file, read);
  return read;
}

const outputsOf = (step: PlanStep): readonly string[] =>
  step.type === 'command' || step.type === 'script' ? step.outputs : [];

function textsOf(step: PlanStep): string[] {
  const own = step.when === null ? [] : [step.when];
  if (step.type === 'gate' || step.type === 'wait') return own;
  if (step.unless !== null) own.push(step.unless);
  if (step.type === 'file') return [...own, step.path];
  if (step.type === 'template') return [...own, step.path, step.validate ?? ''];
  if (step.check !== null) own.push(step.check);
  return step.type === 'script' ? [...own, ...step.arguments] : [...own, step.command];
}
