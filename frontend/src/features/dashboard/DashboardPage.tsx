import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { IconCircleCheck, IconHistory } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { awaitingChangesQuery } from '../../api/queries/inventory/protection-changes';
import { awaitingMeQuery, latestExecutionsQuery } from '../../api/queries/runs/executions';
import type { ExecutionSummary, Page, ProtectionChange } from '../../api/types';
import type { ListState } from '../../ui/tables/DataTable';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { AnchorLink, ButtonLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { RunsTable } from '../../ui/runs/RunsTable';
import { UNFINISHED, UNSUCCESSFUL } from '../../ui/status/statuses';
import { FirstSteps } from './FirstSteps';
import { WaitingChanges } from './WaitingChanges';
import { useFirstSteps } from './useFirstSteps';

const REFRESH_MS = 5_000;
const MAX_UNFINISHED_RUNS = 50;

const toListState = (query: UseQueryResult<Page<ExecutionSummary>>): ListState<ExecutionSummary> => ({
  rows: query.data?.items,
  error: query.error,
  refetch: () => void query.refetch(),
});

export function DashboardPage() {
  const running = useQuery({
    ...latestExecutionsQuery({ status: [...UNFINISHED] }, MAX_UNFINISHED_RUNS),
    refetchInterval: REFRESH_MS,
  });
  const waiting = useQuery({ ...awaitingMeQuery, refetchInterval: REFRESH_MS });
  const changes = useQuery({ ...awaitingChangesQuery, refetchInterval: REFRESH_MS * 2 });
  const waitingRuns = waiting.error !== null || (waiting.data?.items.length ?? 0) > 0;
  const waitingChanges = changes.data?.items ?? [];
  const others = running.data?.items.filter(({ awaitsYou }) => !awaitsYou);
  const recent = useQuery({ ...latestExecutionsQuery({}, 8), refetchInterval: REFRESH_MS * 2 });
  const first = useFirstSteps();
  const pending = first !== null && first.steps.some((step) => !step.done);
  const hasNoRuns = recent.data?.items.length === 0;
  return (
    <>
      <PageHeader title="Dashboard" />
      {pending && <FirstSteps steps={first.steps} planId={first.planId} />}
      {!(pending && hasNoRuns) && (
        <Stack gap="lg">
          {(waitingRuns || waitingChanges.length > 0) && (
            <WaitingSection runs={waiting} changes={waitingChanges} hasRuns={waitingRuns} />
          )}
          <Section
            title="Active runs"
            note={others?.length === 0 ? emptyText(waiting.data) : undefined}
            link={
              running.data?.nextCursor && (
                <AnchorLink to="/executions" search={{ status: UNFINISHED.join(',') }}>
                  All active runs
                </AnchorLink>
              )
            }
          >
            {others?.length !== 0 && (
              <RunsTable label="Active runs" list={{ ...toListState(running), rows: others }} empty={null} />
            )}
          </Section>
          <FailedSection />
          <RecentSection runs={recent} />
        </Stack>
      )}
    </>
  );
}

interface WaitingProps {
  runs: UseQueryResult<Page<ExecutionSummary>>;
  changes: ProtectionChange[];
  hasRuns: boolean;
}

function WaitingSection({ runs, changes, hasRuns }: WaitingProps) {
  return (
    <Section
      title="Waiting for you"
      count={runs.data && countLabel(runs.data, changes.length)}
      link={
        runs.data?.nextCursor && (
          <AnchorLink to="/executions" search={{ awaiting: 'me' }}>
            All waiting runs
          </AnchorLink>
        )
      }
    >
      <Stack gap="sm">
        {changes.length > 0 && <WaitingChanges changes={changes} />}
        {hasRuns && <RunsTable label="Waiting for you" list={toListState(runs)} marked={false} empty={null} />}
      </Stack>
    </Section>
  );
}

function FailedSection() {
  const failed = useQuery({
    ...latestExecutionsQuery({ status: [...UNSUCCESSFUL] }, 5),
    refetchInterval: REFRESH_MS * 2,
  });
  return (
    <Section
      title="Recent failures"
      link={
        <AnchorLink to="/executions" search={{ status: UNSUCCESSFUL.join(',') }}>
          All failed runs
        </AnchorLink>
      }
    >
      <RunsTable
        label="Recent failures"
        list={toListState(failed)}
        empty={
          <EmptyState icon={IconCircleCheck} title="No failed runs">
            Failed runs appear here with the first error.
          </EmptyState>
        }
      />
    </Section>
  );
}

function RecentSection({ runs }: { runs: UseQueryResult<Page<ExecutionSummary>> }) {
  return (
    <Section title="Recent runs" link={<AnchorLink to="/executions">All runs</AnchorLink>}>
      <RunsTable
        label="Recent runs"
        list={toListState(runs)}
        empty={
          <EmptyState icon={IconHistory} title="No runs yet" action={<ButtonLink to="/plans">Open plans</ButtonLink>}>
            The latest runs appear here. Start one from a plan.
          </EmptyState>
        }
      />
    </Section>
  );
}

const countLabel = ({ items, nextCursor }: Page<ExecutionSummary>, changes: number): string =>
  `${items.length + changes}${nextCursor ? '+' : ''}`;

const emptyText = (waiting: Page<ExecutionSummary> | undefined): string =>
  waiting && waiting.items.length > 0 ? 'No other active runs.' : 'No active runs.';

function Section({
  title,
  count,
  note,
  link,
  children,
}: {
  title: string;
  count?: string;
  note?: string;
  link?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-label={title}>
      <Group gap={12} mb={6} wrap="nowrap">
        <Title order={2} size="h4">
          {title}
        </Title>
        {count && <Badge>{count}</Badge>}
        {note && <Text c="dimmed">{note}</Text>}
        {link && (
          <Text component="div" size="xs">
            {link}
          </Text>
        )}
      </Group>
      {children}
    </section>
  );
}
