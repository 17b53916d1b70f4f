import type { FaultCode } from '../../common/errors/fault-codes.ts';
import { type Liquid, type Template, Tokenizer, TypeGuards } from 'liquidjs';
import type { ProblemItem } from '../../common/errors/problem-item.ts';
import {
  COMMAND_FILTERS,
  COMMAND_TAGS,
  createCommandEngine,
  MAX_COMMAND_LENGTH,
  renderMetered,
  SecretReference,
} from './command-engine.ts';
import {
  type CommandFacts,
  type EarlierStep,
  collectFactNeeds,
  type FactNeeds,
  createFactScope,
} from './command-facts.ts';
import type { OutputTagUse, TemplateUse } from './command-references.ts';
import { type JinjaFault, jinjaFaults } from '../../templates/rendering/jinja-syntax.ts';
import { ParsedTexts } from './command-engine.ts';
import { type CommandName, takeFirst, listHiddenNames, findReferenceFaults } from './reference-faults.ts';
import { suggestName } from '../../common/text/nearest-name.ts';
import { explainPosition } from '../shell/place-advice.ts';
import { INSERTION_MARK, locateInsertions } from '../shell/shell-places.ts';
import { findLine, toTemplateReason } from './template-reason.ts';
import { getParsingCost, TooMuchWorkError, WorkMeter } from './work-meter.ts';
import type { VariableValue } from '../../variables/variable-value.ts';

export type { CommandName };

export interface CommandValue extends CommandName {
  /** Null = not set. Not read for a secret. */
  readonly value: VariableValue | null;
}

/** The template cannot be rendered with these values. `code` is one of the codes of validation problems. */
export class CommandTemplateError extends Error {
  override readonly name = 'CommandTemplateError';

  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Only stops endless loops: a rendered command is sent over standard input, which has no limit. */
const MAX_RENDERED_LENGTH = 1_048_576;
/** Number of characters whose shell quoting is followed at the cost of one operation. */
const PLACEHOLDER_LENGTH = 64;
const MAX_PROBLEMS = 20;
const RAW_ADVICE = 'Braces that belong to the command itself are written {% raw %}{{ … }}{% endraw %}.';

const engine: Liquid = createCommandEngine();
const parsedTexts = new ParsedTexts(engine);

const EMPTY_TEMPLATE_USE: TemplateUse = { references: [], outputs: [], locals: [], faults: [] };

interface CommandFault {
  readonly code: FaultCode;
  readonly message: string;
}

/**
 * Returns all faults of a command template that are visible without values: syntax, unknown names, secrets whose text
 * would be needed, and values that shell quotes do not protect.
 */
export function checkCommandTemplate(
  text: string,
  names: readonly CommandName[],
  path = '',
  earlierSteps: readonly EarlierStep[] = [],
): ProblemItem[] {
  const jinja = jinjaFaults(text, COMMAND_FILTERS);
  const faults = jinja.length > 0 ? jinjaCommandFaults(text, jinja) : parseCommand(text, names, earlierSteps).faults;
  return faults.map(({ code, message }) => ({ path, code, message }));
}

/**
 * Returns the command with its values. Text outside `{{ }}` and `{% %}` is kept byte for byte.
 * - `{{ name }}` becomes one quoted shell word; a list becomes one word per item. Facts are quoted like variables.
 * - `{{ name | raw }}` is inserted unquoted.
 * - A secret always becomes `"${NAME}"`, which the shell expands at runtime.
 *
 * `findCommandNeeds` reports whether facts are needed.
 *
 * @throws CommandTemplateError; TooMuchWork
 */
export function renderCommand(
  text: string,
  values: readonly CommandValue[],
  facts?: CommandFacts,
  meter = new WorkMeter(),
): string {
  const { templates, use, faults } = parseCommand(text, values, null, meter);
  const fault = faults[0];
  if (fault) throw new CommandTemplateError(fault.code, fault.message);
  const needs = toFactNeeds(use, values);
  if (!facts && (needs.host || needs.steps))
    throw new CommandTemplateError('facts_needed', 'The command uses facts that only a host and earlier steps give.');
  const scope: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  if (facts) Object.assign(scope, createFactScope(use.references, facts));
  for (const { name, value, secret } of values) scope[name] = secret ? new SecretReference(name) : value;
  const rendered = renderTemplates(templates, scope, meter);
  if (rendered.length > MAX_RENDERED_LENGTH) {
    throw new CommandTemplateError('too_long', `The rendered command has more than ${MAX_RENDERED_LENGTH} characters.`);
  }
  if (rendered.includes(INSERTION_MARK)) meter.spend(rendered.length / PLACEHOLDER_LENGTH);
  for (const { place, line } of locateInsertions(rendered)) {
    if (place === 'word') continue;
    throw new CommandTemplateError(
      'unsafe_place',
      explainPosition(place, `On line ${line} of the rendered command a value`, null),
    );
  }
  return rendered.replaceAll(INSERTION_MARK, '');
}

/**
 * Returns the kinds of facts that a command uses. Without facts, the rendered command is the same on every host.
 * @throws TooMuchWork
 */
export function findCommandNeeds(text: string, names: readonly CommandName[] = [], meter = new WorkMeter()): FactNeeds {
  return toFactNeeds(parseCommand(text, names, null, meter).use, names);
}

const toFactNeeds = (use: TemplateUse, names: readonly CommandName[]): FactNeeds =>
  collectFactNeeds(use.references, listHiddenNames(use, names));

function renderTemplates(templates: Template[], scope: object, meter: WorkMeter): string {
  try {
    return renderMetered(engine, templates, scope, meter);
  } catch (error) {
    if (meter.isExceeded) throw new TooMuchWorkError(meter.limit);
    throw new CommandTemplateError('invalid_value', toTemplateReason(error));
  }
}

interface ParsedCommand {
  readonly templates: Template[];
  readonly use: TemplateUse;
  readonly faults: CommandFault[];
}

function parseCommand(
  text: string,
  names: readonly CommandName[],
  earlier: readonly EarlierStep[] | null,
  meter?: WorkMeter,
): ParsedCommand {
  if (text.length > MAX_COMMAND_LENGTH || text.includes(INSERTION_MARK)) {
    const message = `A command has at most ${MAX_COMMAND_LENGTH} characters and no NUL.`;
    return { templates: [], use: EMPTY_TEMPLATE_USE, faults: [{ code: 'invalid_template', message }] };
  }
  try {
    const { templates, use } = parsedTexts.getParsedText(text, meter);
    const found = findReferenceFaults(use, { names, earlier, advice: ` ${RAW_ADVICE}` });
    const faults = takeFirst(found, MAX_PROBLEMS).map((fault) => ({
      code: fault.code,
      message: toLinePrefix(text, fault.offset) + fault.message,
    }));
    return { templates, use, faults: faults.length ? faults : findPositionFaults(text, use, names, meter) };
  } catch (error) {
    if (error instanceof TooMuchWorkError) throw error;
    return { templates: [], use: EMPTY_TEMPLATE_USE, faults: [toParseFault(error)] };
  }
}

/** Validates all branches in sequence. The rendered text is validated again later. */
function findPositionFaults(
  text: string,
  { outputs }: TemplateUse,
  names: readonly CommandName[],
  meter?: WorkMeter,
): CommandFault[] {
  const secrets = new Set(names.filter(({ secret }) => secret).map(({ name }) => name));
  const marked = new Map<number, OutputTagUse>();
  for (const output of outputs) {
    if (!output.raw || secrets.has(output.name ?? '')) marked.set(output.offset, output);
  }
  // Fast path for most commands, which have no insertions.
  if (marked.size === 0) return [];
  meter?.spend(getParsingCost(text) + text.length / PLACEHOLDER_LENGTH);
  const unsafe = locateInsertions(toOutline(text, marked)).filter(({ place }) => place !== 'word');
  return unsafe.slice(0, MAX_PROBLEMS).flatMap(({ content, place }) => {
    const output = marked.get(Number(content));
    if (!output) return [];
    const variable = names.some(({ name }) => name === output.name) ? output.name : null;
    const subject = `${toLinePrefix(text, output.offset)}${output.source}`;
    return [{ code: 'unsafe_place', message: explainPosition(place, subject, variable, secrets.has(variable ?? '')) }];
  });
}

function toOutline(text: string, marked: ReadonlyMap<number, OutputTagUse>): string {
  let comment = false;
  let result = '';
  for (const token of new Tokenizer(text, engine.options.operators).readTopLevelTokens(engine.options)) {
    if (TypeGuards.isTagToken(token)) comment = token.name === 'comment' || (comment && token.name !== 'endcomment');
    else if (comment) continue;
    else if (TypeGuards.isHTMLToken(token)) result += token.getContent();
    else result += marked.has(token.begin) ? INSERTION_MARK + token.begin + INSERTION_MARK : 'x';
  }
  return result;
}

export function toParseFault(error: unknown): CommandFault {
  const reason = error instanceof Error ? error.message : String(error);
  const line = /, line:(\d+), col:\d+$/.exec(reason)?.[1];
  const where = line === undefined ? '' : `Line ${line}: `;
  const filter = /^undefined filter: ([^,]*)/.exec(reason)?.[1];
  if (filter !== undefined) {
    const message = `${where}there is no filter "${filter}". ${suggestName(filter, COMMAND_FILTERS, 'filter')} All: ${COMMAND_FILTERS.join(', ')}.`;
    return { code: 'unknown_filter', message };
  }
  const tag = /^tag "([^"]*)" not found/.exec(reason)?.[1];
  if (tag !== undefined) {
    return {
      code: 'unknown_tag',
      message: `${where}{% ${tag} %} cannot be used here. The tags are ${COMMAND_TAGS.join(', ')}. ${RAW_ADVICE}`,
    };
  }
  if (reason.startsWith('Maximum call stack'))
    return { code: 'invalid_template', message: 'The template is nested too deeply.' };
  const cause = reason.replace(/, line:\d+, col:\d+$/, '').replace(/\.$/, '');
  return { code: 'invalid_template', message: `${where}${cause}. ${RAW_ADVICE}` };
}

export const jinjaCommandFaults = (text: string, faults: readonly JinjaFault[]): CommandFault[] =>
  faults.map(({ offset, code, message }) => ({ code, message: toLinePrefix(text, offset) + message }));

const toLinePrefix = (text: string, offset: number) => `Line ${findLine(text, offset)}: `;
