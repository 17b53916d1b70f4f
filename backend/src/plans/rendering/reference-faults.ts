import type { FaultCode } from '../../common/errors/fault-codes.ts';
import { suggestName } from '../../common/variables/nearest-name.ts';
import { type EarlierStep, factFault, isFactRoot } from './command-facts.ts';
import { fieldFault, type Reference, type TemplateUse } from './command-references.ts';

export interface CommandName {
  readonly name: string;
  readonly secret: boolean;
}

export interface OffsetFault {
  readonly code: FaultCode;
  readonly message: string;
  /** In the template, in UTF-16 units. */
  readonly offset: number;
}

interface Known {
  readonly names: readonly CommandName[];
  /** Null = the steps are unknown, and any step is accepted. */
  readonly earlier: readonly EarlierStep[] | null;
  /** Appended to messages about text that may not be meant as a template. Starts with a space. */
  readonly advice: string;
}

export const hiddenNames = (use: TemplateUse, names: readonly CommandName[]): ReadonlySet<string> =>
  new Set([...names, ...use.locals].map(({ name }) => name));

export function* referenceFaults(use: TemplateUse, known: Known): Generator<OffsetFault, void> {
  for (const { offset, message } of use.faults) yield invalid(offset, message + known.advice);
  yield* fieldFaults(use, known);
  yield* nameFaults(use, known);
  yield* secretFaults(use, known);
}

/** Returns at most `limit` items, and does not iterate further. */
export function firstOf<T>(items: Iterable<T>, limit: number): T[] {
  const found: T[] = [];
  for (const item of items) {
    if (found.push(item) >= limit) break;
  }
  return found;
}

function* fieldFaults(use: TemplateUse, { names, earlier, advice }: Known): Generator<OffsetFault, void> {
  const hidden = hiddenNames(use, names);
  for (const reference of use.references) {
    const { offset } = reference;
    if (hidden.has(reference.name) || !isFactRoot(reference.name)) {
      const fault = fieldFault(reference);
      if (fault !== null) yield invalid(offset, fault + advice);
      continue;
    }
    const fault = factFault(reference, earlier ?? stepCandidates(reference));
    if (fault) yield { ...fault, offset };
  }
}

function stepCandidates({ fields: [key, , output] }: Reference): EarlierStep[] {
  return typeof key === 'string' ? [{ key, outputs: typeof output === 'string' ? [output] : [] }] : [];
}

function* nameFaults({ references, locals }: TemplateUse, { names, advice }: Known): Generator<OffsetFault, void> {
  const known = new Set(names.map(({ name }) => name));
  const own = new Set(locals.map(({ name }) => name));
  for (const { name, offset } of references) {
    if (own.has(name) || known.has(name) || isFactRoot(name)) continue;
    const message = `the plan has no variable "${name}". ${suggestName(name, [...known], 'variable')}${advice}`;
    yield { offset, code: 'unknown_variable', message };
  }
  for (const { name, offset } of locals) {
    if (known.has(name))
      yield invalid(offset, `"${name}" is a variable of the plan. Choose another name within the command.`);
  }
}

function* secretFaults({ references }: TemplateUse, { names }: Known): Generator<OffsetFault, void> {
  const secrets = new Set(names.filter(({ secret }) => secret).map(({ name }) => name));
  for (const { name, alone, offset } of references) {
    if (!secrets.has(name) || alone) continue;
    yield {
      offset,
      code: 'secret_in_expression',
      message: `"${name}" is a secret, so no filter, condition or loop can read it. Write {{ ${name} }} alone in the command, or let the command work on its exported variable: "$${name}".`,
    };
  }
}

const invalid = (offset: number, message: string): OffsetFault => ({ code: 'invalid_template', message, offset });
