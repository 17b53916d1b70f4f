import type { ExecutionSummary } from '../../../api/types';
import { statusStyle } from '../../../ui/status/statuses';

export interface Alert {
  /** Browsers show one notification for each tag. */
  tag: string;
  title: string;
  body: string;
  runId: string | null;
}

type RunInfo = Pick<ExecutionSummary, 'id' | 'planName' | 'environmentName' | 'status' | 'finished'>;

const describe = ({ planName, environmentName }: RunInfo): string => `${planName} → ${environmentName}`;

/** Alert for each run that waits now and did not before; null = nothing is known of before. */
export const waitingAlerts = (before: readonly RunInfo[] | null, now: readonly RunInfo[]): Alert[] =>
  before === null
    ? []
    : now
        .filter(({ id }) => !before.some((run) => run.id === id))
        .map((run) => ({ tag: `waiting ${run.id}`, title: 'Waits for you', body: describe(run), runId: run.id }));

/** Alert for each protection change that waits now and did not before. */
export const changeAlerts = (before: readonly { id: string }[] | null, now: readonly { id: string }[]): Alert[] =>
  before === null
    ? []
    : now
        .filter(({ id }) => !before.some((change) => change.id === id))
        .map(({ id }) => ({
          tag: `change ${id}`,
          title: 'Waits for you',
          body: 'A protection change needs a second person.',
          runId: null,
        }));

/** Alert for each run that has ended since; also for one that started since. */
export const endedAlerts = (before: readonly RunInfo[] | null, now: readonly RunInfo[]): Alert[] =>
  before === null
    ? []
    : now
        .filter(({ id, finished }) => finished && !before.some((run) => run.id === id && run.finished))
        .map((run) => ({
          tag: `ended ${run.id}`,
          title: statusStyle(run.status).label,
          body: describe(run),
          runId: run.id,
        }));
