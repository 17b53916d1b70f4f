import type { ProblemItem } from '../../../../common/errors/problem-item.js';
import { conflict, invalidRequest } from '../../../../common/errors/problem.js';
import { findSecretFault, findSecretsSizeFault, computeSecretSize } from '../../../../variables/secret-rules.js';
import type { VariableValue } from '../../../../variables/variable-value.js';
import { toSecretName } from '../../../record/host-values.js';

const MAX_REPORTED_PROBLEMS = 20;
const NOT_STARTED_TEXT = 'The run was not started.';

export interface StartSecret {
  name: string;
  value: VariableValue;
  /** Origin of the value for people, such as "the environment"; null: the start request. */
  from: string | null;
}

/**
 * Demands that all secrets can be masked in command output: each is long enough, and together they fit the memory of
 * masking.
 *
 * @throws Problem 400 with `secret_too_short` for each such secret, or `secrets_too_large`
 */
export function requireMaskableSecrets(secrets: readonly StartSecret[]): void {
  const unmaskableProblems = secrets.flatMap(({ name, value, from }): ProblemItem[] => {
    const fault = findSecretFault(name, value);
    if (!fault) return [];
    const origin = from === null ? '' : ` This value comes from ${from}.`;
    return [{ path: `/variables/${name}`, code: fault.code, message: `${fault.message}${origin}` }];
  });
  if (unmaskableProblems.length > 0)
    throw invalidRequest(unmaskableProblems.slice(0, MAX_REPORTED_PROBLEMS), NOT_STARTED_TEXT);
  const fault = findSecretsSizeFault(
    Object.fromEntries(
      secrets.map(({ name, value, from }) => [
        from?.includes('"') ? `${name} of ${from}` : name,
        computeSecretSize(value),
      ]),
    ),
  );
  if (fault)
    throw invalidRequest([{ path: '/variables', code: 'secrets_too_large', message: fault }], NOT_STARTED_TEXT);
}

/**
 * As `requireMaskableSecrets`, for secrets that an earlier run froze and the request does not contain.
 * @param secrets by name, or by `toHostSecretKey`
 * @throws Problem 409 `secret_too_short`, `secrets_too_large`
 */
export function requireMaskableFrozenSecrets(secrets: readonly [string, VariableValue][]): void {
  const rerunAdvice = 'Rerun with the current values (snapshot: current).';
  for (const [key, value] of secrets) {
    const fault = findSecretFault(toSecretName(key), value);
    if (fault) throw conflict(fault.code, `${fault.message} ${rerunAdvice}`);
  }
  const fault = findSecretsSizeFault(
    Object.fromEntries(secrets.map(([key, value]) => [key, computeSecretSize(value)])),
  );
  if (fault) throw conflict('secrets_too_large', `${fault} ${rerunAdvice}`);
}
