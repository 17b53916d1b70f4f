import type { FaultCode } from '../../common/errors/fault-codes.ts';
import { Drop } from 'liquidjs';
import { USABLE_FACTS } from '../../inventory/facts/host-facts.ts';
import { suggestName } from '../../common/variables/nearest-name.ts';
import type { Reference } from './command-references.ts';

/** What a step came to on one host. */
export interface StepFacts {
  /** Such as SUCCEEDED; null where the step has no result. */
  readonly status: string | null;
  readonly changed: boolean;
  readonly exitCode: number | null;
  readonly outputs: Readonly<Record<string, string>>;
}

/** What a template may know of a host and of what earlier steps did there. */
export interface CommandFacts {
  readonly host: {
    readonly name: string;
    readonly tags: Readonly<Record<string, string>>;
    /** What the host told about itself before the run, as far as the plan uses it. */
    readonly facts?: Readonly<Record<string, string | number>>;
  };
  /** By key. */
  readonly steps: Readonly<Record<string, StepFacts>>;
}

/** A step that a template may look back at. */
export interface EarlierStep {
  readonly key: string;
  /** Names that it declares as its outputs. */
  readonly outputs: readonly string[];
}

/** Which facts a template looks at. */
export interface FactNeeds {
  readonly steps: boolean;
  readonly host: boolean;
}

interface FactFault {
  readonly code: FaultCode;
  readonly message: string;
}

const RESULTS = ['status', 'changed', 'exitCode', 'outputs'];
const HOST_ADVICE = `Write host.name, host.tags.role for the tag "role", or host.facts.NAME with one of ${USABLE_FACTS.join(', ')}.`;
const STEP_ADVICE =
  'Write steps.KEY.outputs.NAME, steps.KEY.status, steps.KEY.changed or steps.KEY.exitCode with the key of an earlier step.';

/** Whether this is the name that facts begin with. A variable of the plan with the same name hides them. */
export const isFactRoot = (name: string): name is 'host' | 'steps' => name === 'host' || name === 'steps';

/** Stands for a fact that is not there: false in a condition, and an error where its text is needed. */
export class MissingFact extends Drop {
  readonly explanation: string;

  constructor(explanation: string) {
    super();
    this.explanation = explanation;
  }

  override valueOf(): null {
    return null;
  }
}

/** What is wrong with a reference that begins with `host` or `steps`; null when it can have a value. */
export function factFault({ name, fields }: Reference, earlier: readonly EarlierStep[]): FactFault | null {
  return name === 'host' ? hostFault(fields) : stepFault(fields, earlier);
}

function hostFault([field, tag, ...more]: Reference['fields']): FactFault | null {
  const known =
    (field === 'name' && tag === undefined) ||
    (field === 'tags' && typeof tag === 'string') ||
    (field === 'facts' && USABLE_FACTS.some((name) => name === tag));
  return known && more.length === 0
    ? null
    : { code: 'unknown_fact', message: `a host has no such fact. ${HOST_ADVICE}` };
}

function stepFault(
  [key, field, output, ...more]: Reference['fields'],
  earlier: readonly EarlierStep[],
): FactFault | null {
  if (typeof key !== 'string') return { code: 'unknown_fact', message: `this names no step. ${STEP_ADVICE}` };
  const step = earlier.find((each) => each.key === key);
  if (!step) {
    const keys = earlier.map((each) => each.key);
    return {
      code: 'unknown_step',
      message: `no step "${key}" stands before this one. ${keys.length ? suggestName(key, keys, 'earlier step') : 'There is no earlier step.'}`,
    };
  }
  if (
    typeof field !== 'string' ||
    !RESULTS.includes(field) ||
    more.length > 0 ||
    (field === 'outputs') !== (output !== undefined)
  )
    return { code: 'unknown_fact', message: `a step has no such result. ${STEP_ADVICE}` };
  if (field !== 'outputs') return null;
  if (typeof output === 'string' && step.outputs.includes(output)) return null;
  return {
    code: 'unknown_output',
    message: `the step "${key}" has no output "${output ?? '…'}". ${step.outputs.length ? suggestName(output ?? '', step.outputs, 'output') : `Name it in the outputs of "${key}".`}`,
  };
}

/** Which facts these references look at; `hidden` are names that mean something else here. */
export function factNeeds(references: readonly Reference[], hidden: ReadonlySet<string>): FactNeeds {
  const used = (root: string) => !hidden.has(root) && references.some(({ name }) => name === root);
  return { steps: used('steps'), host: used('host') };
}

/** The facts that the references ask for, and nothing else; what is not there is a `MissingFact`. */
export function factScope(references: readonly Reference[], facts: CommandFacts): Record<'host' | 'steps', object> {
  const host = { name: facts.host.name, tags: bare<unknown>(), facts: bare<unknown>() };
  const steps = bare<Record<string, unknown>>();
  for (const { name, fields } of references) {
    const [first, second, third] = fields;
    if (name === 'host' && first === 'tags' && typeof second === 'string')
      host.tags[second] = own(facts.host.tags, second) ?? new MissingFact(`The host has no tag "${second}".`);
    if (name === 'host' && first === 'facts' && typeof second === 'string')
      host.facts[second] =
        own(facts.host.facts ?? {}, second) ?? new MissingFact(`The host did not tell its "${second}".`);
    if (name !== 'steps' || typeof first !== 'string') continue;
    const step = own(facts.steps, first);
    const shown = (steps[first] ??= {
      status: step?.status ?? new MissingFact(`The step "${first}" has no result on this host.`),
      changed: step?.changed ?? false,
      exitCode: step?.exitCode ?? new MissingFact(`The step "${first}" has no exit code on this host.`),
      outputs: bare<unknown>(),
    });
    if (second === 'outputs' && typeof third === 'string')
      (shown.outputs as Record<string, unknown>)[third] =
        own(step?.outputs ?? {}, third) ??
        new MissingFact(`The step "${first}" did not set its output "${third}" on this host.`);
  }
  return { host, steps };
}

const bare = <T>(): Record<string, T> => Object.create(null) as Record<string, T>;
const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;
