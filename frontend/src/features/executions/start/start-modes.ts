import type { Environment, Plan, RunMode } from '../../../api/types';
import { RUN_MODES } from '../../../api/lists';

export interface ModeLimits {
  plan: Pick<Plan, 'allowedModes'>;
  environment: Pick<Environment, 'name' | 'allowedModes'> | undefined;
  /** True: the start follows a dry run, so another dry run is not offered. */
  exact: boolean;
}

/** Returns why a mode is not available; null: it is available. */
export function modeObstacle(mode: RunMode, { plan, environment, exact }: ModeLimits): string | null {
  if (exact && mode === 'dry_run') return 'This start follows a dry run.';
  const within = (allowed: readonly string[]) => allowed.length === 0 || allowed.includes(mode);
  if (!within(plan.allowedModes)) return 'Not allowed by the plan.';
  if (environment && !within(environment.allowedModes)) return `Not allowed in ${environment.name}.`;
  return null;
}

/** Returns the chosen mode if it is available, otherwise the first available mode. */
export const effectiveMode = (chosen: RunMode, limits: ModeLimits): RunMode =>
  modeObstacle(chosen, limits) === null
    ? chosen
    : (RUN_MODES.find((mode) => modeObstacle(mode, limits) === null) ?? chosen);
