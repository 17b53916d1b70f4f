import type { FaultCode } from '../../common/errors/fault-codes.ts';
import { Drop } from 'liquidjs';
import { USABLE_FACTS } from '../../inventory/facts/host-facts.ts';
import { suggestName } from '../../common/text/nearest-name.ts';
import type { VariableReference } from './command-references.ts';

export interface StepFacts {
  /** Such as SUCCEEDED; null = no result. */
  readonly status: string | null;
  readonly changed: boolean;
  readonly exitCode: number | null;
  readonly outputs: Readonly<Record<string, string>>;
}

export interface CommandFacts {
  readonly host: {
    readonly name: string;
    readonly tags: Readonly<Record<string, string>>;
    readonly facts?: Readonly<Record<string, string | number>>;
  };
  /** By step key. */
  readonly steps: Readonly<Record<string, StepFacts>>;
}

export interface EarlierStep {
  readonly key: string;
  readonly outputs: readonly string[];
}

export interface FactNeeds {
  readonly steps: boolean;
  readonly host: boolean;
}

interface FactFault {
  readonly code: FaultCode;
  readonly message: string;
}

const STEP_RESULT_FIELDS = ['status', 'changed', 'exitCode', 'outputs'];
const HOST_ADVICE = `Write host.name, host.tags.role for the tag "role", or host.facts.NAME with one of ${USABLE_FACTS.join(', ')}.`;
const STEP_ADVICE =
  'Write steps.KEY.outputs.NAME, steps.KEY.status, steps.KEY.changed or steps.KEY.exitCode with the key of an earlier step.';

/** Whether a name refers to facts. A variable of the plan with the same name hides them. */
export const isFactRoot = (name: string): name is 'host' | 'steps' => name === 'host' || name === 'steps';

/** Placeholder for a missing fact: false in a condition, an error where its text is needed. */
export class MissingFactDrop extends Drop {
  readonly explanation: string;

  constructor(explanation: string) {
    super();
    this.explanation = explanation;
  }

  override valueOf(): null {
    return null;
  }
}

/** Returns the fault of a reference to `host` or `steps`; null = valid. */
export function findFactFault({ name, fields }: VariableReference, earlier: readonly EarlierStep[]): FactFault | null {
  return name === 'host' ? findHostFault(fields) : findStepFault(fields, earlier);
}

function findHostFault([field, tag, ...more]: VariableReference['fields']): FactFault | null {
  const known =
    (field === 'name' && tag === undefined) ||
    (field === 'tags' && typeof tag === 'string') ||
    (field === 'facts' && USABLE_FACTS.some((name) => name === tag));
  return known && more.length === 0
    ? null
    : { code: 'unknown_fact', message: `a host has no such fact. ${HOST_ADVICE}` };
}

function findStepFault(
  [key, field, output, ...more]: VariableReference['fields'],
  earlier: readonly EarlierStep[],
): FactFault | null {
  if (typeof key !== 'string') return { code: 'unknown_fact', message: `this names no step. ${STEP_ADVICE}` };
  const step = earlier.find((each) => each.key === key);
  if (!step) {
    const keys = earlier.map((each) => each.key);
    return {
      code: 'unknown_step',
      message: `no step "${key}" comes before this one. ${keys.length ? suggestName(key, keys, 'earlier step') : 'There is no earlier step.'}`,
    };
  }
  if (
    typeof field !== 'string' ||
    !STEP_RESULT_FIELDS.includes(field) ||
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

/** @param hidden names that do not refer to facts here, because a variable has the same name */
export function collectFactNeeds(references: readonly VariableReference[], hidden: ReadonlySet<string>): FactNeeds {
  const used = (root: string) => !hidden.has(root) && references.some(({ name }) => name === root);
  return { steps: used('steps'), host: used('host') };
}

/** Returns only the facts that the references use; a missing fact is a `MissingFactDrop`. */
export function createFactScope(
  references: readonly VariableReference[],
  facts: CommandFacts,
): Record<'host' | 'steps', object> {
  const host = { name: facts.host.name, tags: createEmptyRecord<unknown>(), facts: createEmptyRecord<unknown>() };
  const steps = createEmptyRecord<Record<string, unknown>>();
  for (const { name, fields } of references) {
    const [first, second, third] = fields;
    if (name === 'host' && first === 'tags' && typeof second === 'string')
      host.tags[second] =
        getOwnProperty(facts.host.tags, second) ?? new MissingFactDrop(`The host has no tag "${second}".`);
    if (name === 'host' && first === 'facts' && typeof second === 'string')
      host.facts[second] =
        getOwnProperty(facts.host.facts ?? {}, second) ??
        new MissingFactDrop(`The host did not report its "${second}".`);
    if (name !== 'steps' || typeof first !== 'string') continue;
    const step = getOwnProperty(facts.steps, first);
    const stepFacts = (steps[first] ??= {
      status: step?.status ?? new MissingFactDrop(`The step "${first}" has no result on this host.`),
      changed: step?.changed ?? false,
      exitCode: step?.exitCode ?? new MissingFactDrop(`The step "${first}" has no exit code on this host.`),
      outputs: createEmptyRecord<unknown>(),
    });
    if (second === 'outputs' && typeof third === 'string')
      (stepFacts.outputs as Record<string, unknown>)[third] =
        getOwnProperty(step?.outputs ?? {}, third) ??
        new MissingFactDrop(`The step "${first}" did not set its output "${third}" on this host.`);
  }
  return { host, steps };
}

const createEmptyRecord = <T>(): Record<string, T> => Object.create(null) as Record<string, T>;
const getOwnProperty = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;
