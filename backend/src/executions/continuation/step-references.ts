import { getDefinition, listOutputs, type PlanStep } from '../../plans/steps/types/step-types.js';
import type { Snapshot } from '../record/execution-row.js';
import { findFrozenTemplate, type FrozenLibrary, type RunStep } from '../record/run-content.js';
import { isPartOfStep } from '../scopes/scope-facts.js';

export interface StepReference {
  key: string;
  outputs: readonly string[];
}

export interface ReadableSteps {
  steps: readonly RunStep[];
  /** Returns the variables of a scope; null = the run's own plan. */
  namesIn: (scope: number | null) => readonly { name: string }[];
}

export function indexReadableSteps({ plan, scopes = [] }: Pick<Snapshot, 'plan' | 'scopes'>): ReadableSteps {
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
export function listStepReferences(
  { steps, namesIn }: ReadableSteps,
  index: number,
  library: FrozenLibrary | undefined,
): StepReference[] {
  const step = steps[index];
  if (!step) return [];
  // A plan variable named `steps` hides the results of steps.
  const hidesSteps = (scope: number | null) => namesIn(scope).some(({ name }) => name === 'steps');
  const { values = null, prefix = '', outer = [] } = step.scope ?? {};
  const reads = [
    ...(hidesSteps(values)
      ? []
      : [findOutputReads(listReadingTexts(step)), findFileOutputReads(step, library)].map((read) => ({
          read,
          prefix,
        }))),
    ...outer.flatMap((each) =>
      hidesSteps(each.values) ? [] : [{ read: findOutputReads([each.when]), prefix: each.prefix }],
    ),
  ].filter(({ read }) => read.size > 0);
  const handledKeys = new Set(step.onlyIfChanged);
  return steps.slice(0, index).flatMap((earlier): StepReference[] => {
    const found = reads.flatMap(({ read, prefix: begin }) => listReadOutputs(read, begin, earlier));
    if (found.length === 0 && !handledKeys.has(earlier.key)) return [];
    const isRead = (name: string): boolean => found.some((outputs) => outputs === 'all' || outputs.has(name));
    return [{ key: earlier.key, outputs: listOutputs(earlier).filter(isRead) }];
  });
}

/**
 * Returns the outputs of a step that are read. Through the call or list that contains the step, all of its outputs
 * count as read.
 */
function listReadOutputs(read: OutputReads, prefix: string, { key, scope }: RunStep): (ReadonlySet<string> | 'all')[] {
  if (!key.startsWith(prefix)) return [];
  const directReads = read.get(key.slice(prefix.length));
  if (directReads) return [directReads];
  return scope && [...read.keys()].some((each) => isPartOfStep(key, prefix, each)) ? ['all'] : [];
}

type OutputReads = ReadonlyMap<string, ReadonlySet<string>>;
const NO_OUTPUT_READS: OutputReads = new Map();

/** Matches `.name`, `["name"]` or `['name']`. A name has at most 64 characters. */
const FIELD_PATTERN_SOURCE = String.raw`(?:\.\s*([\w-]+)|\[\s*(?:"([^"]{1,64})"|'([^']{1,64})')\s*\])`;
const OUTPUTS_PATTERN_SOURCE = String.raw`(?:\.\s*outputs(?![\w-])|\[\s*(?:"outputs"|'outputs')\s*\])`;
const STEP_OUTPUT_PATTERN = RegExp(
  String.raw`\bsteps\s*${FIELD_PATTERN_SOURCE}(?:\s*${OUTPUTS_PATTERN_SOURCE}\s*${FIELD_PATTERN_SOURCE})?`,
  'g',
);

function findOutputReads(texts: readonly string[]): OutputReads {
  const read = new Map<string, Set<string>>();
  for (const text of texts) {
    for (const [, a, b, c, x, y, z] of text.matchAll(STEP_OUTPUT_PATTERN)) {
      const key = a ?? b ?? c ?? '';
      const outputs = read.get(key) ?? new Set();
      read.set(key, outputs.add(x ?? y ?? z ?? ''));
    }
  }
  return read;
}

/** Cache by frozen template: a template can be long, and many steps may use the same one. */
const outputReadsByFile = new WeakMap<object, OutputReads>();

function findFileOutputReads(step: PlanStep, library: FrozenLibrary | undefined): OutputReads {
  const file = findFrozenTemplate(step, library);
  if (!file) return NO_OUTPUT_READS;
  const read = outputReadsByFile.get(file) ?? findOutputReads([file.content]);
  outputReadsByFile.set(file, read);
  return read;
}

const listReadingTexts = (step: PlanStep): string[] =>
  [step.when, ...getDefinition(step).listTexts(step)].flatMap((text) => text ?? []);
