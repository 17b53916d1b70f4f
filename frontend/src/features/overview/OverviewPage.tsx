import { Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconCircleCheck } from '@tabler/icons-react';
import { type ComponentType, Suspense, useState } from 'react';
import { awaitingChangesQuery } from '../../api/queries/inventory/protection-changes';
import { awaitingMeQuery } from '../../api/queries/runs/executions';
import { environmentOverviewsQuery, overviewQuery, resultMatrixQuery } from '../../api/queries/runs/overview';
import type { Overview } from '../../api/types';
import { useAccess } from '../../access/useAccess';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { PageSkeleton } from '../../ui/feedback/Skeletons';
import { PageHeader } from '../../ui/page/PageHeader';
import { EnvironmentCards, MAX_CARDS } from './EnvironmentCards';
import { Figures } from './Figures';
import { FIRST_CARDS, MATRIX_PLANS } from './first-queries';
import { FirstSteps } from './FirstSteps';
import { NeedsYou } from './NeedsYou';
import { NoAccess } from './NoAccess';
import { OpenFailures } from './OpenFailures';
import classes from './overview.module.css';
import { RecentChanges } from './RecentChanges';
import { type MatrixFilter, ResultMatrix } from './ResultMatrix';
import { RunningNow } from './RunningNow';
import { useFirstSteps } from './useFirstSteps';

/** Refetch intervals in ms: what changes during a run, and what changes with its end. */
const REFRESH_MS = 5_000;
const SLOW_REFRESH_MS = 15_000;
const MAX_MATRIX_PLANS = 100;

export interface RunDialogProps {
  runId: string;
  onClose: () => void;
}

interface Props {
  /** Dialogs of runs, which belong to another feature. */
  DecisionDialog: ComponentType<RunDialogProps>;
  RerunDialog: ComponentType<RunDialogProps>;
}

export function OverviewPage(dialogs: Props) {
  const now = useQuery({ ...overviewQuery, refetchInterval: REFRESH_MS });
  const waiting = useQuery({ ...awaitingMeQuery, refetchInterval: REFRESH_MS });
  const changes = useQuery({ ...awaitingChangesQuery, refetchInterval: SLOW_REFRESH_MS });
  const first = useFirstSteps();
  const { can } = useAccess();
  const seesNothing = now.data?.environmentCount === 0 && !can('admin');
  // A viewer can do none of the steps.
  const steps = can('operator') ? first.steps : null;
  // Sections above the others come with the first paint. Otherwise the page would move when they arrive.
  const ready = now.data && !waiting.isLoading && !changes.isLoading && !first.isLoading;
  return (
    <>
      <PageHeader title="Overview" />
      {now.error && !now.data ? (
        <ErrorPanel error={now.error} onRetry={() => void now.refetch()} />
      ) : !ready ? (
        <PageSkeleton />
      ) : (
        <>
          {seesNothing && <NoAccess admins={now.data.admins} />}
          {steps && <FirstSteps steps={steps} planId={first.planId} onDismiss={first.dismiss} />}
          {!seesNothing && !(steps && first.hasNoRuns) && (
            <Sections
              overview={now.data}
              runs={waiting.data?.items ?? []}
              more={Boolean(waiting.data?.nextCursor)}
              error={waiting.error ?? changes.error}
              changes={changes.data?.items ?? []}
              {...dialogs}
            />
          )}
        </>
      )}
    </>
  );
}

type SectionsProps = Props &
  Pick<Parameters<typeof NeedsYou>[0], 'runs' | 'changes' | 'more'> & { overview: Overview; error: unknown };

function Sections({ overview, runs, changes, more, error, DecisionDialog, RerunDialog }: SectionsProps) {
  const [decided, setDecided] = useState<string | null>(null);
  const [rerun, setRerun] = useState<string | null>(null);
  const [search, setSearch] = useState('');
  const [cards, setCards] = useState(FIRST_CARDS);
  const [filter, setFilter] = useState<MatrixFilter>({ q: '', failing: false });
  const [plans, setPlans] = useState(MATRIX_PLANS);
  const environments = useQuery({
    ...environmentOverviewsQuery(search, cards),
    refetchInterval: SLOW_REFRESH_MS,
  });
  const matrix = useQuery({
    ...resultMatrixQuery({
      limit: plans,
      ...(filter.q ? { q: filter.q } : {}),
      ...(filter.failing ? { failing: true } : {}),
    }),
    refetchInterval: SLOW_REFRESH_MS,
  });
  const { can } = useAccess();
  const waitingCount = runs.length + changes.length;
  const isCalm = waitingCount === 0 && overview.runningCount === 0 && overview.openFailureCount === 0;
  return (
    <>
      <Figures overview={overview} waiting={waitingCount} />
      {Boolean(error) && <ErrorPanel error={error} title="What waits for you could not be loaded" />}
      {waitingCount > 0 && <NeedsYou runs={runs} changes={changes} more={more} onDecide={setDecided} />}
      {isCalm ? (
        <Calm />
      ) : (
        <>
          <OpenFailures {...overview} onRerun={setRerun} />
          <RunningNow runs={overview.running} count={overview.runningCount} />
        </>
      )}
      <EnvironmentCards
        query={environments}
        search={search}
        onSearch={setSearch}
        onMore={cards < MAX_CARDS ? () => setCards(MAX_CARDS) : undefined}
      />
      <ResultMatrix
        query={matrix}
        filter={filter}
        onFilter={(change) => setFilter((before) => ({ ...before, ...change }))}
        onMore={plans < MAX_MATRIX_PLANS ? () => setPlans(MAX_MATRIX_PLANS) : undefined}
      />
      {can('admin') && <RecentChanges />}
      <Suspense>
        {decided !== null && <DecisionDialog key={decided} runId={decided} onClose={() => setDecided(null)} />}
        {rerun !== null && <RerunDialog key={rerun} runId={rerun} onClose={() => setRerun(null)} />}
      </Suspense>
    </>
  );
}

function Calm() {
  return (
    <Paper className={classes.row} mb={24} role="note">
      <span className={`${classes.rowIcon} ${classes.good}`}>
        <IconCircleCheck size={18} aria-hidden />
      </span>
      <Text className={classes.rowText}>No open failures and no active runs. Nothing waits for you.</Text>
    </Paper>
  );
}
