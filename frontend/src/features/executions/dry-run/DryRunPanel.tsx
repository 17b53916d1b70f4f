import { Button, Chip, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconPlayerPlay } from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import { predictionsQuery } from '../../../api/queries/runs/executions';
import { reviewQuery } from '../../../api/queries/runs/steering';
import type { Execution } from '../../../api/types';
import { StartLink } from '../../../ui/runs/StartLink';
import { ForecastNote } from './ForecastNote';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { StepPrediction } from './StepPrediction';
import { verdictStyle, VERDICTS } from './verdict-styles';

const route = getRouteApi('/app/executions/$id');

export function DryRunPanel({ run }: { run: Execution }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/executions/$id' });
  const review = useQuery(reviewQuery(run.id));
  const only = VERDICTS.find((verdict) => verdict === search.verdict);
  const counts = VERDICTS.map((verdict) => [verdict, run.summary.verdicts?.[verdict] ?? 0] as const).filter(
    ([, count]) => count > 0,
  );
  const predicted = counts.reduce((sum, [, count]) => sum + count, 0);
  const predictions = useInfiniteQuery({ ...predictionsQuery(run.id, only, predicted), enabled: predicted > 0 });
  const items = predictions.data?.pages.flatMap((page) => page.items) ?? [];
  const choose = (verdict: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, verdict }), replace: true, resetScroll: false });
  const complete = run.finished && run.status !== 'CANCELLED';

  return (
    <Paper p="md" mb="md" component="section" aria-label="Predicted results">
      <Stack gap="md">
        <Group justify="space-between" gap="sm">
          <Title order={2} size="h4">
            Predicted results
          </Title>
          {complete && (
            <Can role="operator">
              <StartLink
                planId={run.planId}
                again={run.id}
                exact
                leftSection={<IconPlayerPlay size={15} aria-hidden />}
              >
                Start this run
              </StartLink>
            </Can>
          )}
        </Group>
        {run.forecast && <ForecastNote forecast={run.forecast} />}
        {counts.length > 0 && (
          <Chip.Group
            multiple={false}
            value={only ?? 'all'}
            onChange={(value) => choose(value === 'all' ? undefined : value)}
          >
            <Group gap="xs" role="group" aria-label="Filter predictions">
              <Chip value="all" size="xs">
                All
              </Chip>
              {counts.map(([verdict, count]) => (
                <Chip key={verdict} value={verdict} size="xs">
                  {verdictStyle(verdict).label} {count}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
        )}
        {run.steps.map((step) => {
          const own = items.filter(({ stepKey }) => stepKey === step.key);
          if (own.length === 0 && (only || step.type !== 'gate')) return null;
          return (
            <StepPrediction
              key={step.key}
              step={step}
              reviewedStep={review.data?.steps.find(({ key }) => key === step.key)}
              predictions={own}
            />
          );
        })}
        {predictions.error && (
          <ErrorPanel
            error={predictions.error}
            onRetry={() => void predictions.refetch()}
            title="The predictions could not be loaded"
          />
        )}
        {predictions.hasNextPage && (
          <Group>
            <Button
              variant="default"
              loading={predictions.isFetchingNextPage}
              onClick={() => void predictions.fetchNextPage()}
            >
              Show more predictions
            </Button>
          </Group>
        )}
        {counts.length === 0 && (
          <Text c="dimmed">
            {run.finished
              ? 'The dry run ended without predictions.'
              : 'Reading the state of the hosts. Predictions appear here.'}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}
