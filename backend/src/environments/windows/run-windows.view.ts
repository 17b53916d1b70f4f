import { ApiProperty } from '@nestjs/swagger';
import { type RunWindows, WEEKDAYS, type Weekday, computeWindowState } from './run-windows.js';

export class OpenSpanView {
  @ApiProperty({ enum: WEEKDAYS, isArray: true })
  days: Weekday[];
  /**
   * Start, as local time of day from `00:00` to `23:59`.
   * @example "20:00"
   */
  from: string;
  /** @example "06:00" */
  to: string;
}

export class BlackoutView {
  /** @example "2026-12-24T00:00" */
  from: string;
  /** @example "2026-12-27T00:00" */
  to: string;
  /** Reason of the blackout, shown to members whose start is refused. */
  reason: string;
}

export class RunWindowsView {
  /** @example "Europe/Berlin" */
  timeZone: string;
  @ApiProperty({ type: [OpenSpanView] })
  open: OpenSpanView[];
  @ApiProperty({ type: [BlackoutView] })
  blackouts: BlackoutView[];
}

export class RunWindowStateView {
  /** True = runs may begin now. */
  open: boolean;
  /** Next closing time; null = closed, or open for at least a week. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  closesAt: string | null;
  /** Next opening time; null = open. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  opensAt: string | null;
  /** Reason of the blackout that closes them; null = open, or closed by the hours. */
  @ApiProperty({ type: String, nullable: true })
  blackout: string | null;
}

export const toRunWindowsView = ({ timeZone, open, blackouts }: RunWindows): RunWindowsView => ({
  timeZone,
  open: open.map(({ days, from, to }) => ({ days, from, to })),
  blackouts: blackouts.map(({ from, to, reason }) => ({ from, to, reason })),
});

/**
 * Maximum time for which a state is cached, in ms; shorter if the state changes before. Needed because lists of
 * environments repeat the same windows.
 */
const STATE_CACHE_MS = 60_000;
const MAX_CACHED_STATES = 2_000;
const cachedStates = new Map<string, { view: RunWindowStateView; until: number }>();

export function toWindowStateView(windows: RunWindows, at: Date): RunWindowStateView {
  const key = JSON.stringify(windows);
  const known = cachedStates.get(key);
  if (known && at.getTime() < known.until && at.getTime() > known.until - STATE_CACHE_MS) return known.view;
  const state = computeWindowState(windows, at);
  const turn = state.open ? state.closesAt : state.opensAt;
  const view: RunWindowStateView = {
    open: state.open,
    closesAt: state.open ? (turn?.toISOString() ?? null) : null,
    opensAt: state.open ? null : (turn?.toISOString() ?? null),
    blackout: state.open ? null : state.blackout,
  };
  if (cachedStates.size >= MAX_CACHED_STATES) cachedStates.clear();
  cachedStates.set(key, { view, until: Math.min(turn?.getTime() ?? Infinity, at.getTime() + STATE_CACHE_MS) });
  return view;
}
