import type { FaultCode } from '../../common/errors/fault-codes.js';
import type { ProblemItem } from '../../common/errors/problem-item.js';
import { MAX_PATTERN_LENGTH } from '../../common/text/linear-pattern-parser.js';
import { LinearPattern, createMatchBudget, type MatchBudget, PatternError } from '../../common/text/linear-pattern.js';
import { findNameFault } from '../../variables/variable-name.js';
import {
  type ValueRule,
  type VariableType,
  type VariableValue,
  findValueFault,
} from '../../variables/variable-value.js';

const MAX_VARIABLES = 100;
const MAX_CHOICES = 200;
const MAX_CHOICE_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 1000;

/** Declared variable of a plan. Undeclared values never reach the plan's commands. */
export interface VariableDefinition extends ValueRule {
  readonly required?: boolean;
  readonly default?: VariableValue;
  readonly description?: string;
}

const PATTERN_TYPES: readonly VariableType[] = ['string', 'list', 'secret'];

/** Returns the faults of declared variables. Paths start at `path`, such as `/variables/0/name`. */
export const checkDefinitions = (definitions: readonly VariableDefinition[], path?: string): ProblemItem[] =>
  [...findDefinitionFaults(definitions, path)].filter((fault) => fault !== null);

/**
 * Yields the faults of declared variables. Also yields null between variables, so that the caller can pause: testing a
 * pattern can take milliseconds.
 */
export function* findDefinitionFaults(
  definitions: readonly VariableDefinition[],
  path = '/variables',
): Generator<ProblemItem | null, void> {
  if (definitions.length > MAX_VARIABLES) {
    const message = `A plan declares at most ${MAX_VARIABLES} variables (got ${definitions.length}).`;
    yield { path, code: 'too_many', message };
    return;
  }
  const names = new Set<string>();
  const budget = createMatchBudget();
  for (const [index, definition] of definitions.entries()) {
    yield null;
    yield* checkDefinition(definition, `${path}/${index}`, budget);
    if (names.has(definition.name)) {
      const message = `Another variable is already called "${definition.name}". Rename one of them.`;
      yield { path: `${path}/${index}/name`, code: 'duplicate_name', message };
    }
    names.add(definition.name);
  }
}

function checkDefinition(definition: VariableDefinition, path: string, budget: MatchBudget): ProblemItem[] {
  const problems: ProblemItem[] = [];
  const add = (field: string, code: FaultCode, message: string) =>
    problems.push({ path: `${path}/${field}`, code, message });

  const nameProblem = findNameFault(definition.name);
  if (nameProblem) add('name', 'invalid_name', nameProblem);
  if ((definition.description ?? '').length > MAX_DESCRIPTION_LENGTH) {
    add('description', 'too_long', `A description has at most ${MAX_DESCRIPTION_LENGTH} characters.`);
  }
  const choiceProblem = findChoicesFault(definition);
  if (choiceProblem) add('choices', choiceProblem.code, choiceProblem.message);
  const patternProblem = findPatternFault(definition);
  if (patternProblem) add('pattern', 'invalid_pattern', patternProblem);
  if (!choiceProblem && !patternProblem && definition.default !== undefined) {
    const fault =
      definition.type === 'secret'
        ? 'A secret has no default, because the plan would show it. Set it in the environment or at the start.'
        : findValueFault(definition, definition.default, budget)?.message;
    if (fault) add('default', 'invalid_default', fault);
  }
  return problems;
}

function findChoicesFault({ type, choices }: VariableDefinition): { code: FaultCode; message: string } | null {
  const listedChoices = choices ?? [];
  const fault = (message: string) => ({ code: 'invalid_choices' as const, message });
  if (type !== 'choice')
    return listedChoices.length ? fault(`Only the type choice has choices; this one is ${type}.`) : null;
  if (listedChoices.length === 0) {
    return { code: 'missing_choices', message: 'List the values to choose from, such as ["blue", "green"].' };
  }
  if (listedChoices.length > MAX_CHOICES) return fault(`There are at most ${MAX_CHOICES} choices.`);
  if (new Set(listedChoices).size < listedChoices.length) return fault('Each choice is listed once.');
  const hasUnsupportedFields = listedChoices.some(
    (choice) =>
      choice.length > MAX_CHOICE_LENGTH ||
      choice.trim() === '' ||
      findValueFault({ name: '', type: 'string' }, choice) !== null,
  );
  return hasUnsupportedFields
    ? fault(`A choice is a text of 1 to ${MAX_CHOICE_LENGTH} characters that is not blank.`)
    : null;
}

function findPatternFault({ type, pattern }: VariableDefinition): string | null {
  if (pattern === undefined) return null;
  if (!PATTERN_TYPES.includes(type))
    return `A pattern fits only the types ${PATTERN_TYPES.join(', ')}; this one is ${type}.`;
  if (pattern === '') return `Write a pattern of 1 to ${MAX_PATTERN_LENGTH} characters such as v\\d+, or leave it out.`;
  try {
    new LinearPattern(pattern);
    return null;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}
