import { SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { environmentOverviewQuery } from '../../../api/queries/runs/overview';
import type { Environment, EnvironmentDetail } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { PageSkeleton } from '../../../ui/feedback/Skeletons';
import { OpenFailures } from '../OpenFailures';
import { RunningNow } from '../RunningNow';
import { EnvironmentFigures } from './EnvironmentFigures';
import { HostStates } from './HostStates';
import { LatestResults } from './LatestResults';
import { NextSchedules } from './NextSchedules';
import { StartRules } from './StartRules';

const REFRESH_MS = 10_000;

interface Props {
  environment: Environment;
  onRerun: (runId: string) => void;
}

/** What one environment does now, and what ran last in it. */
export function EnvironmentOverviewTab({ environment, onRerun }: Props) {
  const { data, error, refetch } = useQuery({
    ...environmentOverviewQuery(environment.id),
    refetchInterval: REFRESH_MS,
  });
  if (data) return <Content environment={environment} overview={data} onRerun={onRerun} />;
  return error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : <PageSkeleton />;
}

function Content({ environment, overview, onRerun }: Props & { overview: EnvironmentDetail }) {
  const { id, failures, openFailures, openFailuresIncomplete, running, runningCount } = overview;
  return (
    <>
      <EnvironmentFigures overview={overview} />
      <StartRules environment={environment} overview={overview} />
      {openFailures > 0 && (
        <OpenFailures
          openFailures={failures}
          openFailureCount={openFailures}
          openFailuresIncomplete={openFailuresIncomplete}
          environmentId={id}
          onRerun={onRerun}
        />
      )}
      {runningCount > 0 && <RunningNow runs={running} count={runningCount} environmentId={id} />}
      <LatestResults overview={overview} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <HostStates overview={overview} />
        <NextSchedules overview={overview} />
      </SimpleGrid>
    </>
  );
}
