import { findArgumentNeeds, checkArgumentTemplate, renderArgument } from './render-argument.ts';
import type { ProblemItem } from '../../common/errors/problem-item.ts';
import type { CommandFacts, EarlierStep, FactNeeds } from './command-facts.ts';
import { type CommandName, CommandTemplateError, type CommandValue } from './render-command.ts';
import type { WorkMeter } from './work-meter.ts';

const MAX_PATH = 4096;
const PATH_RULE_TEXT = 'the whole path of a file on the host, starting with / and without ".."';

const isTemplate = (path: string): boolean => path.includes('{{') || path.includes('{%');

/** Whether a step may write the path: absolute, not a folder, and without `.` and `..`. */
const isValidFilePath = (path: string): boolean =>
  path.startsWith('/') &&
  !path.endsWith('/') &&
  path.length <= MAX_PATH &&
  !/[\p{Cc}\p{Surrogate}]/u.test(path) &&
  !path.split('/').some((part) => part === '.' || part === '..');

export function checkFilePath(
  text: string,
  names: readonly CommandName[],
  path: string,
  earlier: readonly EarlierStep[],
): ProblemItem[] {
  if (isTemplate(text)) {
    // Parts that depend on values are validated after rendering.
    const begins = text.startsWith('/') || isTemplate(text.slice(0, 2));
    if (begins && text.length <= MAX_PATH) return checkArgumentTemplate(text, names, path, earlier, 'path');
  } else if (isValidFilePath(text)) return [];
  const message = `Give ${PATH_RULE_TEXT}, such as /etc/app.conf.`;
  return [{ path, code: text === '' ? 'required' : 'invalid_path', message }];
}

/**
 * Inserts values into the path.
 *
 * @throws CommandTemplateError, also if the result is not a valid path; TooMuchWork
 */
export function renderFilePath(
  text: string,
  values: readonly CommandValue[],
  facts?: CommandFacts,
  meter?: WorkMeter,
): string {
  if (!isTemplate(text)) return text;
  const path = renderArgument(text, values, facts, 'path', meter);
  if (isValidFilePath(path)) return path;
  throw new CommandTemplateError(
    'invalid_path',
    `"${text}" evaluates to "${path}" here, which is not ${PATH_RULE_TEXT}.`,
  );
}

/** @throws TooMuchWork */
export const findFilePathNeeds = (text: string, names: readonly CommandName[], meter?: WorkMeter): FactNeeds =>
  isTemplate(text) ? findArgumentNeeds(text, names, meter) : { host: false, steps: false };
