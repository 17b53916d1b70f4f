import type { FaultCode } from '../../common/errors/fault-codes.js';
import { suggestName } from '../../common/variables/nearest-name.js';
import { type EarlierStep, factFault, isFactRoot } from './command-facts.js';
import { fieldFault, type Reference, type TemplateUse } from './command-references.js';

export interface CommandName {
  readonly name: string;
  readonly secret: boolean;
}

export interface OffsetFault {
  readonly code: FaultCode;
  readonly message: string;
  /** Where in the template, in UTF-16 units. */
  readonly offset: number;
}

interface Known {
  readonly names: readonly CommandName[];
  /** Null when the steps are not known; then any step will do. */
  readonly earlier: readonly EarlierStep[] | null;
  /** Ends sentences about what may not have been meant for the template; with a space before it. */
  readonly advice: string;
}

/** Names that mean something else than facts in this template. */
export const hiddenNames = (use: TemplateUse, names: readonly CommandName[]): ReadonlySet<string> =>
  new Set([...names, ...use.locals].map(({ name }) => name));

/** What is wrong with the names that a template uses, and with how it uses them. */
export function referenceFaults(use: TemplateUse, known: Known): OffsetFault[] {
  return [
    ...use.faults.map(({ offset, message }) => invalid(offset, message + known.advice)),
    ...fieldFaults(use, known),
    ...nameFaults(use, known),
    ...secretFaults(use, known),
  ];
}

function fieldFaults(use: TemplateUse, { names, earlier, advice }: Known): OffsetFault[] {
  const hidden = hiddenNames(use, names);
  return use.references.flatMap((reference): OffsetFault[] => {
    const { offset } = reference;
    if (hidden.has(reference.name) || !isFactRoot(reference.name)) {
      const fault = fieldFault(reference);
      return fault === null ? [] : [invalid(offset, fault + advice)];
    }
    const fault = factFault(reference, earlier ?? anyStep(reference));
    return fault ? [{ ...fault, offset }] : [];
  });
}

/** A step that has whatever the reference asks of it. */
function anyStep({ fields: [key, , output] }: Reference): EarlierStep[] {
  return typeof key === 'string' ? [{ key, outputs: typeof output === 'string' ? [output] : [] }] : [];
}

function nameFaults({ references, locals }: TemplateUse, { names, advice }: Known): OffsetFault[] {
  const known = names.map(({ name }) => name);
  const own = new Set(locals.map(({ name }) => name));
  const unknown = references.filter(({ name }) => !own.has(name) && !known.includes(name) && !isFactRoot(name));
  return [
    ...unknown.map(({ name, offset }) => ({
      offset,
      code: 'unknown_variable' as const,
      message: `the plan has no variable "${name}". ${suggestName(name, known, 'variable')}${advice}`,
    })),
    ...locals
      .filter(({ name }) => known.includes(name))
      .map(({ name, offset }) =>
        invalid(offset, `"${name}" is a variable of the plan. Choose another name within the command.`),
      ),
  ];
}

function secretFaults({ references }: TemplateUse, { names }: Known): OffsetFault[] {
  const secrets = new Set(names.filter(({ secret }) => secret).map(({ name }) => name));
  return references
    .filter(({ name, alone }) => secrets.has(name) && !alone)
    .map(({ name, offset }) => ({
      offset,
      code: 'secret_in_expression',
      message: `"${name}" is a secret, so no filter, condition or loop can read it. Write {{ ${name} }} alone in the command, or let the command work on its exported variable: "$${name}".`,
    }));
}

const invalid = (offset: number, message: string): OffsetFault => ({ code: 'invalid_template', message, offset });
