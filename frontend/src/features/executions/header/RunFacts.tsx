import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { comparisonSummaryQuery } from '../../../api/queries/runs/comparison';
import type { Execution } from '../../../api/types';
import { CopyButton } from '../../../ui/copy/CopyButton';
import { duration, plural } from '../../../ui/format/format';
import { Elapsed, RelativeTime } from '../../../ui/format/RelativeTime';
import { Fact } from '../../../ui/page/Fact';
import { AnchorLink } from '../../../ui/page/links';
import { MODE_MEANINGS, MODE_NAMES } from '../../../ui/runs/modes';
import { RunLabels } from '../../../ui/runs/RunLabels';
import { StartedBy } from '../../../ui/runs/RunsTable';

export function RunFacts({ run }: { run: Execution }) {
  const usual = useQuery(comparisonSummaryQuery(run.id)).data?.usualDuration;
  return (
    <Group gap="8px 28px" mb="md" align="flex-start">
      <Fact label="Environment">{run.environmentName}</Fact>
      <Fact label="Plan">
        <AnchorLink
          to="/plans/$id"
          params={{ id: run.planId }}
          search={{ tab: 'revisions', revision: run.planRevision }}
        >
          Revision {run.planRevision}
        </AnchorLink>
      </Fact>
      <Fact label="Hosts">
        {plural(run.hostCount, 'host')}
        {run.targets && <Text span c="dimmed" className="rw-mono">{` ${run.targets}`}</Text>}
      </Fact>
      <Fact label="Mode">
        <span title={MODE_MEANINGS[run.execution_mode]}>{MODE_NAMES[run.execution_mode]}</span>
      </Fact>
      <Fact label="Started by">
        <StartedBy run={run} />
      </Fact>
      <Fact label={run.startedAt === null ? 'Requested' : 'Started'}>
        <RelativeTime at={run.createdAt} />
      </Fact>
      {run.startAt && (
        <Fact label="Scheduled for">
          <RelativeTime at={run.startAt} />
        </Fact>
      )}
      <Fact label={run.finished ? 'Duration' : 'Elapsed'}>
        {run.status === 'PAUSED' ? 'waiting for a decision' : <Elapsed from={run.startedAt} to={run.finishedAt} />}
        {usual && (
          <Text span c="dimmed" title={`Median of the last ${plural(usual.runs, 'successful run')} of this plan here`}>
            {`, median ${duration(usual.medianMs)}`}
          </Text>
        )}
      </Fact>
      <Fact label="Run ID">
        <Group gap={2} wrap="nowrap" h={22}>
          <span className="rw-mono">{run.id.slice(-8)}</span>
          <CopyButton value={run.id} what="run ID" />
        </Group>
      </Fact>
      {Object.keys(run.labels).length > 0 && (
        <Fact label="Labels">
          <RunLabels labels={run.labels} />
        </Fact>
      )}
    </Group>
  );
}
