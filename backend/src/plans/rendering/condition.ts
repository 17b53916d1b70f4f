import type { FaultCode } from '../../common/errors/fault-codes.ts';
import { type Liquid, type Template, Tokenizer, TypeGuards, Value } from 'liquidjs';
import type { ProblemItem } from '../../common/errors/problem-item.ts';
import { COMMAND_FILTERS, createCommandEngine, renderMetered } from './command-engine.ts';
import { NUMBER_FACTS } from '../../inventory/facts/host-facts.ts';
import {
  type CommandFacts,
  type EarlierStep,
  collectFactNeeds,
  type FactNeeds,
  createFactScope,
} from './command-facts.ts';
import type { TemplateUse } from './command-references.ts';
import { jinjaFaults } from '../../templates/rendering/jinja-syntax.ts';
import { ParsedTexts } from './command-engine.ts';
import { type CommandName, takeFirst, listHiddenNames, findReferenceFaults } from './reference-faults.ts';
import { CommandTemplateError, type CommandValue } from './render-command.ts';
import { toTemplateReason } from './template-reason.ts';
import { TooMuchWorkError, WorkMeter } from './work-meter.ts';

const MAX_CONDITION_LENGTH = 2000;
const CONDITION_EXAMPLE = 'for example steps.build.changed and host.tags.role == "web"';
const MAX_PROBLEMS = 20;

export interface ConditionScope {
  readonly values: readonly CommandValue[];
  readonly facts: CommandFacts;
}

const engine: Liquid = createCommandEngine();
const parsedTexts = new ParsedTexts(engine);

interface ConditionFault {
  readonly code: FaultCode;
  readonly message: string;
}

interface ParsedCondition {
  readonly templates: Template[];
  readonly use: TemplateUse;
  readonly faults: ConditionFault[];
}

/**
 * Returns all faults of a condition that are visible without values. A condition has the syntax of Liquid's `{% if …
 * %}`. It can use the plan's variables, `host.name`, `host.tags.<tag>`, `host.facts.<fact>`, and `outputs.<name>`,
 * `status`, `changed`, `exitCode` of `steps.<key>`.
 */
export function checkCondition(
  text: string,
  names: readonly CommandName[],
  earlierSteps: readonly EarlierStep[],
  path = '',
): ProblemItem[] {
  const jinja = text.length <= MAX_CONDITION_LENGTH ? jinjaFaults(`{% if ${text} %}`, COMMAND_FILTERS) : [];
  const faults: readonly ConditionFault[] =
    jinja.length > 0
      ? jinja.map(({ message }) => ({ code: 'invalid_condition', message }))
      : parseCondition(text, names, earlierSteps).faults;
  return takeFirst(faults, MAX_PROBLEMS).map(({ code, message }) => ({ path, code, message }));
}

/**
 * Whether the condition is true. A missing value, such as an output of a step that was skipped on the host, is false
 * and equals nothing.
 *
 * @throws CommandTemplateError; TooMuchWork
 */
export function evaluateCondition(text: string, scope: ConditionScope, meter = new WorkMeter()): boolean {
  const { values, facts } = scope;
  const { templates, use, faults } = parseCondition(text, values, null, meter);
  const fault = faults[0];
  if (fault) throw new CommandTemplateError(fault.code, fault.message);
  const known = Object.assign(Object.create(null) as Record<string, unknown>, createFactScope(use.references, facts));
  for (const { name, value, secret } of values) if (!secret) known[name] = value;
  try {
    return renderMetered(engine, templates, known, meter) === TRUE_OUTPUT;
  } catch (error) {
    if (meter.isExceeded) throw new TooMuchWorkError(meter.limit);
    throw new CommandTemplateError('invalid_value', removeIfTag(toTemplateReason(error)));
  }
}

/** Returns the kinds of facts that the condition uses: a dry run does not know results of steps. @throws TooMuchWork */
export function findConditionNeeds(
  text: string,
  names: readonly CommandName[] = [],
  meter = new WorkMeter(),
): FactNeeds {
  const { use } = parseCondition(text, names, null, meter);
  return collectFactNeeds(use.references, listHiddenNames(use, names));
}

const TRUE_OUTPUT = '1';
const NO_USE: TemplateUse = { references: [], outputs: [], locals: [], faults: [] };
const refusedCondition = (message: string, use = NO_USE): ParsedCondition => ({
  templates: [],
  use,
  faults: [{ code: 'invalid_condition', message }],
});

function parseCondition(
  text: string,
  names: readonly CommandName[],
  earlier: readonly EarlierStep[] | null,
  meter?: WorkMeter,
): ParsedCondition {
  if (text.trim() === '') return refusedCondition(`Write a condition, ${CONDITION_EXAMPLE}, or leave it out.`);
  if (text.length > MAX_CONDITION_LENGTH)
    return refusedCondition(
      `A condition has at most ${MAX_CONDITION_LENGTH} characters. Let a command decide and set an output.`,
    );
  if (/\{[{%]|[%}]\}/.test(text))
    return refusedCondition(`Write the bare condition without {{ }} and {% %}, ${CONDITION_EXAMPLE}.`);
  try {
    const reader = new Tokenizer(text, engine.options.operators);
    reader.readFilteredValue();
    reader.skipBlank();
    if (!reader.end())
      return refusedCondition(
        `"${text.slice(reader.p, reader.p + 40)}" is unexpected in this condition. Write it like this, ${CONDITION_EXAMPLE}.`,
      );
    const { templates, use } = parsedTexts.getParsedText(`{% if ${text}\n%}${TRUE_OUTPUT}{% endif %}`, meter);
    const faults = [
      ...takeFirst(findReferenceFaults(use, { names, earlier, advice: '' }), MAX_PROBLEMS),
      ...(use.faults.length ? [] : templates.flatMap(findComparisonFaults)),
    ];
    return {
      templates,
      use,
      faults: faults.map(({ code, message }) => ({
        code: toConditionCode(code),
        message: capitalize(removeIfTag(message)),
      })),
    };
  } catch (error) {
    if (error instanceof TooMuchWorkError) throw error;
    return refusedCondition(toParseReason(error));
  }
}

const toConditionCode = (code: FaultCode): FaultCode => (code === 'invalid_template' ? 'invalid_condition' : code);
/** Removes the tag from a message that was added around the condition for parsing. */
const removeIfTag = (message: string) => message.replace(/\{% if (.*)\n%\}/s, '$1');
const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Finds comparisons that are never true: outputs, tags, names and statuses are text, which never equals a number. */
function findComparisonFaults(template: Template): ConditionFault[] {
  const faults: ConditionFault[] = [];
  for (const argument of template.arguments?.() ?? []) {
    if (!(argument instanceof Value)) continue;
    const { postfix } = argument.initial;
    postfix.forEach((operator, at) => {
      if (!TypeGuards.isOperatorToken(operator) || !['==', '!='].includes(operator.operator)) return;
      const comparedTokens = [postfix[at - 1], postfix[at - 2]];
      const number = comparedTokens.find((side) => side && isNumberFact(side.getText()));
      const quoted = comparedTokens.find((side) => side !== number);
      if (number && quoted && TypeGuards.isQuotedToken(quoted))
        faults.push({
          code: 'invalid_condition',
          message: `${number.getText()} is a number and never equals a text. Write ${quoted.content} without quotes.`,
        });
      const text = comparedTokens.find((side) => side && isTextFact(side.getText()));
      const other = comparedTokens.find((side) => side !== text);
      if (!text || !other || !(TypeGuards.isNumberToken(other) || ['true', 'false'].includes(other.getText()))) return;
      faults.push({
        code: 'invalid_condition',
        message: `${text.getText()} is text and never equals ${other.getText()}. Write ${other.getText()} in quotes: "${other.getText()}".`,
      });
    });
  }
  return faults;
}

const isTextFact = (text: string) => /^(host\b|steps\b.*(\boutputs\b|\bstatus$))/s.test(text) && !isNumberFact(text);
const isNumberFact = (text: string) => NUMBER_FACTS.includes(/^host\.facts\.(\w+)$/.exec(text)?.[1] ?? '');

function toParseReason(error: unknown): string {
  const reason = error instanceof Error ? error.message.replace(/, line:\d+, col:\d+$/, '') : String(error);
  const filter = /^undefined filter: (.*)$/.exec(reason)?.[1];
  if (filter !== undefined) return `There is no filter "${filter}". The filters are ${COMMAND_FILTERS.join(', ')}.`;
  return `This is not a condition (${reason}). Write it like this, ${CONDITION_EXAMPLE}.`;
}
