import { useState } from 'react';
import type { ActiveFreeze, Environment, RunMode } from '../../api/types';
import { freezeObstacle } from '../collections/freeze';
import type { Override } from '../forms/start-override';
import { useFreeze } from '../collections/useFreeze';
import { closedWindow, windowObstacle, windowOverrideField } from '../environments/run-window';
import { useNow } from '../format/useNow';

interface Start {
  /** Freeze of the plan when it was read. */
  frozenBy: ActiveFreeze | null;
  environment: Environment | undefined;
  mode: RunMode;
  freezeReason: Override;
  /** Whether the run starts later. The server then checks the run windows at the start time. */
  later?: boolean;
}

/** Freeze and closed run windows of a start now, with the reason to start outside the windows. */
export function useStartLimits({ frozenBy, environment, mode, freezeReason, later = false }: Start) {
  const [windowReason, setWindowReason] = useState<Override>(null);
  const now = useNow();
  const freeze = useFreeze(frozenBy);
  const closed = later ? null : closedWindow(environment, now);
  return {
    freeze,
    closed,
    windowReason,
    setWindowReason,
    /** Why a start is not possible; null = it is. */
    obstacle: freezeObstacle(freeze, mode, freezeReason) ?? windowObstacle(closed, mode, windowReason),
    windowField: windowOverrideField(closed, mode, windowReason),
  };
}

export type StartLimits = ReturnType<typeof useStartLimits>;
