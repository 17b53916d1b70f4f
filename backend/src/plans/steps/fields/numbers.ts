import type { ProblemItem } from '../../../common/errors/problem-item.js';

const MAX_TIMEOUT_SECONDS = 86_400;

export function findTimeoutProblems(seconds: number, path: string): ProblemItem[] {
  const message = `Give a whole number of seconds from 1 to ${MAX_TIMEOUT_SECONDS} (a day).`;
  return isIntegerWithin(seconds, 1, MAX_TIMEOUT_SECONDS) ? [] : [{ path, code: 'invalid_timeout', message }];
}

export const findPercentProblems = (percent: number, path: string): ProblemItem[] =>
  findRangeProblems(percent, { min: 0, max: 100, what: 'percent' }, path);

export function findRangeProblems(
  value: number,
  { min, max, what }: { min: number; max: number; what: string },
  path: string,
): ProblemItem[] {
  if (isIntegerWithin(value, min, max)) return [];
  return [{ path, code: 'out_of_range', message: `Give a whole number of ${what} from ${min} to ${max}.` }];
}

export const findExitCodeProblems = (codes: readonly number[], path: string): ProblemItem[] =>
  codes.flatMap((code, index) => {
    const message = `${code} is not an exit code: those are whole numbers from 0 to 255.`;
    return isIntegerWithin(code, 0, 255) ? [] : [{ path: `${path}/${index}`, code: 'invalid_exit_code', message }];
  });

const isIntegerWithin = (value: number, min: number, max: number) =>
  Number.isInteger(value) && value >= min && value <= max;
