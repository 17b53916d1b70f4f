import type { Environment, Plan, RunMode } from '../../../api/types';
import { MODES } from '../run/modes';

/** What limits the modes of a start. */
export interface Allowance {
  plan: Pick<Plan, 'allowedModes'>;
  /** Undefined: none is chosen yet. */
  environment: Pick<Environment, 'name' | 'allowedModes'> | undefined;
  /** The start follows a dry run, so another dry run is not what is wanted. */
  exact: boolean;
}

/** Why a mode can't be used; null when it can. */
export function obstacleToMode(mode: RunMode, { plan, environment, exact }: Allowance): string | null {
  if (exact && mode === 'dry_run') return 'This start is for real.';
  const within = (allowed: readonly string[]) => allowed.length === 0 || allowed.includes(mode);
  if (!within(plan.allowedModes)) return 'The plan does not allow it.';
  if (environment && !within(environment.allowedModes)) return `Not allowed in ${environment.name}.`;
  return null;
}

/** The mode that a start takes: the one that was chosen, or the first that is allowed. */
export const modeOf = (chosen: RunMode, allowance: Allowance): RunMode =>
  obstacleToMode(chosen, allowance) === null
    ? chosen
    : (MODES.find((mode) => obstacleToMode(mode, allowance) === null) ?? chosen);
