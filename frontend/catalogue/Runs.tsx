import { Stack } from '@mantine/core';
import type { QueryClient } from '@tanstack/react-query';
import { meQuery } from '../src/api/queries/access/session';
import { reviewQuery } from '../src/api/queries/runs/steering';
import type {
  Execution,
  ExecutionHost,
  ExecutionStep,
  HostStatus,
  Me,
  Pause,
  PauseReason,
  ResolutionKind,
  Review,
  Verdict,
} from '../src/api/types';
import { Matrix } from '../src/features/executions/matrix/Matrix';
import { matrixRows } from '../src/features/executions/matrix/matrix-rows';
import { DecisionPanel } from '../src/features/executions/pause/DecisionPanel';
import { BLANK_CELL, type Cell } from '../src/features/executions/run/run-cells.reducer';

const SINCE = '2026-03-14T02:00:00Z';
const RUN_ID = 'catalogue';

/** Each state of a cell once; a record with a missing one does not compile. */
const STATUSES: Record<HostStatus, true> = {
  ...{ PENDING: true, CONNECTING: true, RUNNING: true, SUCCEEDED: true, FAILED: true, SKIPPED: true, CANCELLED: true },
  ...{ TIMED_OUT: true, UNREACHABLE: true, UNKNOWN: true, HOST_KEY_UNKNOWN: true, HOST_KEY_CHANGED: true },
};
const VERDICTS: Record<Verdict, true> = {
  ...{ BLOCKED: true, WOULD_CHANGE: true, WOULD_RUN: true, CANNOT_PREDICT: true, WOULD_SKIP: true, NO_CHANGE: true },
};
const RESOLUTIONS: Record<ResolutionKind, true> = {
  ...{ found_succeeded: true, found_failed: true, marked_succeeded: true, marked_failed: true },
  ...{ skipped: true, run_again: true },
};
const keysOf = <K extends string>(record: Record<K, true>) => Object.keys(record) as K[];
const CELLS: Cell[] = [
  ...keysOf(STATUSES).map((status) => ({ ...BLANK_CELL, status })),
  { ...BLANK_CELL, status: 'PENDING', attempts: 2 },
  { ...BLANK_CELL, status: 'SUCCEEDED', changed: true },
  ...keysOf(VERDICTS).map((verdict) => ({ ...BLANK_CELL, status: 'SUCCEEDED' as const, verdict })),
  ...keysOf(RESOLUTIONS).map((resolution) => ({ ...BLANK_CELL, status: 'UNKNOWN' as const, resolution })),
];

const STEPS_OF_GRID = 4;
const stepsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...{ key: `s${index}`, name: `Step ${index + 1}`, type: 'command', status: 'SUCCEEDED', reason: null },
    ...{ command: 'true', path: [], counts: {}, always: false, reportsChange: true },
  })) as unknown as ExecutionStep[];
const HOSTS = Array.from({ length: Math.ceil(CELLS.length / STEPS_OF_GRID) }, (_, index) => ({
  ...{ serverId: `h${index}`, name: `web-${index + 1}`, address: 'web:22', status: 'RUNNING', targetedBy: null },
  tags: {},
})) as unknown as ExecutionHost[];
const GRID = new Map(
  HOSTS.map(({ serverId }, row) => [
    serverId,
    new Map(
      CELLS.slice(row * STEPS_OF_GRID, (row + 1) * STEPS_OF_GRID).map((cell, column) => [`s${column}`, cell] as const),
    ),
  ]),
);

export const Grids = () => (
  <Stack>
    {[STEPS_OF_GRID, 60].map((steps) => (
      <Matrix
        key={steps}
        rows={matrixRows(HOSTS, stepsOf(steps), GRID)}
        loadingHosts={null}
        suffix=""
        steps={stepsOf(steps)}
        selection={{ host: 'web-1', step: 's1' }}
        loading={false}
        showsDurations
        onSelect={() => undefined}
      />
    ))}
  </Stack>
);

/** Pauses in which a member decides. An approval has its own panel. */
const CHOICES: Record<Exclude<PauseReason, 'APPROVAL'>, Pause['choices']> = {
  STEP_CONFIRM: ['abort', 'skip', 'proceed'],
  FAILURE_DECISION: ['retry', 'retry_failed', 'skip', 'exclude_hosts', 'abort'],
  GATE: ['abort', 'proceed'],
  REQUESTED: ['abort', 'proceed'],
};
const PAUSES = (Object.entries(CHOICES) as [PauseReason, Pause['choices']][]).flatMap(([reason, choices]) =>
  [true, false].map((awaitsYou) => ({
    awaitsYou,
    pause: {
      reason,
      choices,
      stepKey: 's0',
      since: SINCE,
      expiresAt: null,
      text: 'Is the site up?',
    } as unknown as Pause,
  })),
);

/** Sets the answers of the server that the panels read. */
export function setRunAnswers(client: QueryClient): void {
  client.setQueryData(meQuery.queryKey, { id: 'm1', name: 'Ana', role: 'operator' } as Me);
  client.setQueryData(reviewQuery(RUN_ID).queryKey, { steps: [], hosts: [] } as unknown as Review);
}

export const Pauses = () => (
  <Stack>
    {PAUSES.map(({ awaitsYou, pause }) => (
      <DecisionPanel
        key={`${pause.reason} ${awaitsYou}`}
        run={
          {
            ...{ id: RUN_ID, environmentName: 'live', awaitsYou, pause, steps: stepsOf(2), unknownHosts: [] },
            summary: { firstFailure: {} },
          } as unknown as Execution
        }
        pause={pause}
        hosts={HOSTS}
        cells={GRID}
      />
    ))}
  </Stack>
);
