import { Paper, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { latestExecutionsQuery } from '../../../api/queries/runs/executions';
import type { ExecutionSummary, RunComparison } from '../../../api/types';
import { duration, plural, shortTime } from '../../../ui/format/format';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { AnchorLink } from '../../../ui/page/links';
import { MODE_NAMES } from '../../../ui/runs/modes';
import { StatusBadge } from '../../../ui/status/StatusBadge';
import { statusStyle } from '../../../ui/status/statuses';
import { DurationNote } from './DurationNote';

type Run = RunComparison['run'];

/** Runs to choose from: the latest ones of the plan. */
const CHOICES = 100;

export function ComparedRuns({ comparison: { run, comparedTo } }: { comparison: RunComparison }) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
      <Paper p="sm" component="section" aria-label="Earlier run">
        <Stack gap={6}>
          <RunSelect run={run} comparedTo={comparedTo} />
          {comparedTo && <RunText run={comparedTo} />}
        </Stack>
      </Paper>
      <Paper p="sm" component="section" aria-label="This run">
        <Stack gap={6}>
          <Text size="sm" fw={600}>
            This run
          </Text>
          <RunText run={run} before={comparedTo?.durationMs ?? null} />
        </Stack>
      </Paper>
    </SimpleGrid>
  );
}

function RunText({ run, before = null }: { run: Run; before?: number | null }) {
  return (
    <>
      <Text component="div">
        <AnchorLink to="/executions/$id" params={{ id: run.id }} fw={550}>
          {run.planName}
        </AnchorLink>{' '}
        <Text span c="dimmed">
          revision {run.planRevision}, run {run.id.slice(-8)}
        </Text>
      </Text>
      <div>
        <StatusBadge status={run.status} />
      </div>
      <Text c="dimmed" size="sm" component="div">
        {run.environmentName} · {plural(run.hostCount, 'host')} · {MODE_NAMES[run.execution_mode]} ·{' '}
        <RelativeTime at={run.createdAt} />
        {run.durationMs !== null && ` · ${duration(run.durationMs)}`}{' '}
        <DurationNote before={before} after={run.durationMs} />
      </Text>
    </>
  );
}

function RunSelect({ run, comparedTo }: { run: Run; comparedTo: Run | null }) {
  const navigate = useNavigate({ from: '/executions/$id/compare' });
  const { data } = useQuery(latestExecutionsQuery({ planId: run.planId }, CHOICES));
  const others = (data?.items ?? []).filter(({ id }) => id !== run.id);
  const choices = others.map((each) => ({ value: each.id, label: choiceText(each) }));
  if (comparedTo && !others.some(({ id }) => id === comparedTo.id))
    choices.push({ value: comparedTo.id, label: choiceText(comparedTo) });
  return (
    <Select
      label="Compare with"
      placeholder="Choose a run"
      searchable
      nothingFoundMessage="No such run"
      data={choices}
      value={comparedTo?.id ?? null}
      allowDeselect={false}
      onChange={(id) => id !== null && void navigate({ search: (before) => ({ ...before, with: id }) })}
    />
  );
}

const choiceText = (run: Pick<ExecutionSummary, 'id' | 'createdAt' | 'status' | 'planRevision' | 'environmentName'>) =>
  `${shortTime(run.createdAt)} · ${statusStyle(run.status).label} · rev ${run.planRevision} · ${run.environmentName} · ${run.id.slice(-8)}`;
