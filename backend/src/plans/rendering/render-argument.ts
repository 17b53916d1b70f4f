import type { FaultCode } from '../../common/errors/fault-codes.ts';
import type { ProblemItem } from '../../common/errors/problem-item.ts';
import { jinjaFaults } from '../../templates/rendering/jinja-syntax.ts';
import { COMMAND_FILTERS, createTextEngine, renderMetered } from './command-engine.ts';
import {
  type CommandFacts,
  type EarlierStep,
  collectFactNeeds,
  type FactNeeds,
  createFactScope,
} from './command-facts.ts';
import type { TemplateUse } from './command-references.ts';
import { ParsedTexts } from './command-engine.ts';
import {
  type CommandName,
  takeFirst,
  listHiddenNames,
  type OffsetFault,
  findReferenceFaults,
} from './reference-faults.ts';
import { CommandTemplateError, type CommandValue, jinjaCommandFaults, toParseFault } from './render-command.ts';
import { findLine, toTemplateReason } from './template-reason.ts';
import { TooMuchWorkError, WorkMeter } from './work-meter.ts';

const MAX_PROBLEMS = 20;
const ADVICE = ' Braces that belong to the argument itself are written {% raw %}{{ … }}{% endraw %}.';

type ArgumentKind = 'argument' | 'path';

const SECRET_MESSAGES: Record<ArgumentKind, (name: string) => string> = {
  argument: (name) =>
    `"${name}" is a secret, and the arguments of a program show in the process list. Let the script read its exported variable: "$${name}".`,
  path: (name) =>
    `"${name}" is a secret, and file names are visible to users who can list the folder. Choose another file name.`,
};

const engine = createTextEngine();
const parsedTexts = new ParsedTexts(engine);

/** Returns all faults of a text for a program, such as a script's argument, that are visible without values. */
export function checkArgumentTemplate(
  text: string,
  names: readonly CommandName[],
  path = '',
  earlierSteps: readonly EarlierStep[] = [],
  place: ArgumentKind = 'argument',
): ProblemItem[] {
  const jinja = jinjaFaults(text, COMMAND_FILTERS);
  const faults =
    jinja.length > 0 ? jinjaCommandFaults(text, jinja) : parseArgument(text, names, earlierSteps, place).faults;
  return faults.map(({ code, message }) => ({ path, code, message }));
}

/**
 * Returns the text of one argument with its values, unquoted.
 *
 * @throws CommandTemplateError; TooMuchWork
 */
export function renderArgument(
  text: string,
  values: readonly CommandValue[],
  facts?: CommandFacts,
  place: ArgumentKind = 'argument',
  meter = new WorkMeter(),
): string {
  const { templates, use, faults } = parseArgument(text, values, null, place, meter);
  const fault = faults[0];
  if (fault) throw new CommandTemplateError(fault.code, fault.message);
  const needs = collectFactNeeds(use.references, listHiddenNames(use, values));
  if (!facts && (needs.host || needs.steps))
    throw new CommandTemplateError('facts_needed', 'The argument uses facts that only a host and earlier steps give.');
  const scope: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  if (facts) Object.assign(scope, createFactScope(use.references, facts));
  for (const { name, value } of values) scope[name] = value;
  try {
    return renderMetered(engine, templates, scope, meter);
  } catch (error) {
    if (meter.isExceeded) throw new TooMuchWorkError(meter.limit);
    throw new CommandTemplateError('invalid_value', toTemplateReason(error));
  }
}

/** @throws TooMuchWork */
export function findArgumentNeeds(
  text: string,
  names: readonly CommandName[] = [],
  meter = new WorkMeter(),
): FactNeeds {
  const { use } = parseArgument(text, names, null, 'argument', meter);
  return collectFactNeeds(use.references, listHiddenNames(use, names));
}

interface ParsedArgument {
  readonly templates: ReturnType<typeof engine.parse>;
  readonly use: TemplateUse;
  readonly faults: readonly { code: FaultCode; message: string }[];
}

function parseArgument(
  text: string,
  names: readonly CommandName[],
  earlier: readonly EarlierStep[] | null,
  place: ArgumentKind = 'argument',
  meter?: WorkMeter,
): ParsedArgument {
  const nothing = { templates: [], use: { references: [], outputs: [], locals: [], faults: [] } };
  if (/[\0\p{Surrogate}]/u.test(text)) {
    const message = `Remove the NUL or the half of a character from the ${place}; no program can take it.`;
    return { ...nothing, faults: [{ code: 'invalid_text', message }] };
  }
  try {
    const { templates, use } = parsedTexts.getParsedText(text, meter);
    const faults = [
      ...takeFirst(findReferenceFaults(use, { names, earlier, advice: ADVICE }), MAX_PROBLEMS),
      ...findSecretFaults(use, names, place),
    ].slice(0, MAX_PROBLEMS);
    return {
      templates,
      use,
      faults: faults.map(({ code, message, offset }) => ({
        code,
        message: `Line ${findLine(text, offset)}: ${message}`,
      })),
    };
  } catch (error) {
    if (error instanceof TooMuchWorkError) throw error;
    return { ...nothing, faults: [toParseFault(error)] };
  }
}

function findSecretFaults(
  { references }: TemplateUse,
  names: readonly CommandName[],
  place: ArgumentKind,
): OffsetFault[] {
  const secrets = new Set(names.filter(({ secret }) => secret).map(({ name }) => name));
  return references
    .filter(({ name, alone }) => alone && secrets.has(name))
    .map(({ name, offset }) => ({
      offset,
      code: 'secret_in_argument',
      message: SECRET_MESSAGES[place](name),
    }));
}
