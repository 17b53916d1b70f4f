import type { ProblemItem } from '../../../common/errors/problem-item.js';
import { conflict, invalidRequest } from '../../../common/errors/problem.js';
import { secretFault, secretsFault, sizeOf } from '../../../common/variables/secret-rules.js';
import type { VariableValue } from '../../../common/variables/variable-value.js';

const NOT_STARTED = 'The run was not started.';

/**
 * A run starts only with secrets that can be masked in what its commands print: each long enough, and all of them together
 * within what masking has memory for.
 *
 * @param given names of those that the start itself gives; the others come from the environment
 * @throws Problem 400 with `secret_too_short` for each such secret, or `secrets_too_large`
 */
export function demandMaskable(secrets: readonly [string, VariableValue][], given: ReadonlySet<string>): void {
  const short = secrets.flatMap(([name, value]): ProblemItem[] => {
    const fault = secretFault(name, value);
    if (!fault) return [];
    const origin = given.has(name) ? '' : ' This value comes from the environment.';
    return [{ path: `/variables/${name}`, code: fault.code, message: `${fault.message}${origin}` }];
  });
  if (short.length > 0) throw invalidRequest(short, NOT_STARTED);
  const fault = tooLarge(secrets);
  if (fault) throw invalidRequest([{ path: '/variables', code: 'secrets_too_large', message: fault }], NOT_STARTED);
}

/**
 * The same for secrets that an earlier run froze, which the request does not hold.
 * @throws Problem 409 `secret_too_short`, `secrets_too_large`
 */
export function demandFrozenMaskable(secrets: readonly [string, VariableValue][]): void {
  const again = 'Run it again with the values that there are now (snapshot: current).';
  for (const [name, value] of secrets) {
    const fault = secretFault(name, value);
    if (fault) throw conflict(fault.code, `${fault.message} ${again}`);
  }
  const fault = tooLarge(secrets);
  if (fault) throw conflict('secrets_too_large', `${fault} ${again}`);
}

const tooLarge = (secrets: readonly [string, VariableValue][]) =>
  secretsFault(Object.fromEntries(secrets.map(([name, value]) => [name, sizeOf(value)])));
