import type { ProblemItem } from '../../../common/errors/problem-item.js';

/** Limits of whole numbers, for their validation and for the OpenAPI document. */
export const TIMEOUT_LIMITS = { minimum: 1, maximum: 86_400 };
export const PERCENT_LIMITS = { minimum: 0, maximum: 100 };
export const EXIT_CODE_LIMITS = { minimum: 0, maximum: 255 };
export const PORT_LIMITS = { minimum: 1, maximum: 65_535 };
export const RETRY_LIMITS = { minimum: 1, maximum: 20 };
export const RETRY_DELAY_LIMITS = { minimum: 0, maximum: 3600 };

type Limits = Readonly<typeof TIMEOUT_LIMITS>;

export function findTimeoutProblems(seconds: number, path: string): ProblemItem[] {
  const message = `Give a whole number of seconds from ${TIMEOUT_LIMITS.minimum} to ${TIMEOUT_LIMITS.maximum} (a day).`;
  return isIntegerWithin(seconds, TIMEOUT_LIMITS) ? [] : [{ path, code: 'invalid_timeout', message }];
}

export const findPercentProblems = (percent: number, path: string): ProblemItem[] =>
  findRangeProblems(percent, PERCENT_LIMITS, 'percent', path);

export function findRangeProblems(value: number, limits: Limits, what: string, path: string): ProblemItem[] {
  if (isIntegerWithin(value, limits)) return [];
  const message = `Give a whole number of ${what} from ${limits.minimum} to ${limits.maximum}.`;
  return [{ path, code: 'out_of_range', message }];
}

export const findExitCodeProblems = (codes: readonly number[], path: string): ProblemItem[] =>
  codes.flatMap((code, index) => {
    const message = `${code} is not an exit code: those are whole numbers from 0 to 255.`;
    return isIntegerWithin(code, EXIT_CODE_LIMITS)
      ? []
      : [{ path: `${path}/${index}`, code: 'invalid_exit_code', message }];
  });

const isIntegerWithin = (value: number, { minimum, maximum }: Limits): boolean =>
  Number.isInteger(value) && value >= minimum && value <= maximum;
