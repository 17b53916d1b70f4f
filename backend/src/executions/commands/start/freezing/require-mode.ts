import { conflict } from '../../../../common/errors/problem.js';
import type { ExecutionMode } from '../../../lifecycle/statuses.js';

/** @throws Problem 409 `mode_not_allowed` */
export function requireAllowedMode(name: string, allowed: readonly string[], mode: ExecutionMode): void {
  if (allowed.length === 0 || allowed.includes(mode)) return;
  throw conflict('mode_not_allowed', `"${name}" allows the modes ${allowed.join(', ')} only.`);
}
