import type { FaultCode } from '../../common/errors/fault-codes.ts';
import { suggestName } from '../../common/text/nearest-name.ts';
import { type EarlierStep, findFactFault, isFactRoot } from './command-facts.ts';
import { findFieldFault, type VariableReference, type TemplateUse } from './command-references.ts';

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

interface ReferenceContext {
  readonly names: readonly CommandName[];
  /** Null = the steps are unknown, and any step is accepted. */
  readonly earlier: readonly EarlierStep[] | null;
  /** Appended to messages about text that may not be meant as a template. Starts with a space. */
  readonly advice: string;
}

export const listHiddenNames = (use: TemplateUse, names: readonly CommandName[]): ReadonlySet<string> =>
  new Set([...names, ...use.locals].map(({ name }) => name));

export function* findReferenceFaults(use: TemplateUse, known: ReferenceContext): Generator<OffsetFault, void> {
  for (const { offset, message } of use.faults) yield invalidTemplateFault(offset, message + known.advice);
  yield* findFieldFaults(use, known);
  yield* findNameFaults(use, known);
  yield* findSecretFaults(use, known);
}

/** Returns at most `limit` items, and does not iterate further. */
export function takeFirst<T>(items: Iterable<T>, limit: number): T[] {
  const found: T[] = [];
  for (const item of items) {
    if (found.push(item) >= limit) break;
  }
  return found;
}

function* findFieldFaults(
  use: TemplateUse,
  { names, earlier, advice }: ReferenceContext,
): Generator<OffsetFault, void> {
  const hidden = listHiddenNames(use, names);
  for (const reference of use.references) {
    const { offset } = reference;
    if (hidden.has(reference.name) || !isFactRoot(reference.name)) {
      const fault = findFieldFault(reference);
      if (fault !== null) yield invalidTemplateFault(offset, fault + advice);
      continue;
    }
    const fault = findFactFault(reference, earlier ?? toStepCandidates(reference));
    if (fault) yield { ...fault, offset };
  }
}

function toStepCandidates({ fields: [key, , output] }: VariableReference): EarlierStep[] {
  return typeof key === 'string' ? [{ key, outputs: typeof output === 'string' ? [output] : [] }] : [];
}

function* findNameFaults(
  { references, locals }: TemplateUse,
  { names, advice }: ReferenceContext,
): Generator<OffsetFault, void> {
  const known = new Set(names.map(({ name }) => name));
  const own = new Set(locals.map(({ name }) => name));
  for (const { name, offset } of references) {
    if (own.has(name) || known.has(name) || isFactRoot(name)) continue;
    const message = `the plan has no variable "${name}". ${suggestName(name, [...known], 'variable')}${advice}`;
    yield { offset, code: 'unknown_variable', message };
  }
  for (const { name, offset } of locals) {
    if (known.has(name))
      yield invalidTemplateFault(
        offset,
        `"${name}" is a variable of the plan. Choose another name within the command.`,
      );
  }
}

function* findSecretFaults({ references }: TemplateUse, { names }: ReferenceContext): Generator<OffsetFault, void> {
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

const invalidTemplateFault = (offset: number, message: string): OffsetFault => ({
  code: 'invalid_template',
  message,
  offset,
});
