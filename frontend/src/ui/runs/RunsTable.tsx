import { Box, Group, Stack, Text } from '@mantine/core';
import { IconCalendarTime, IconGavel, IconKey, IconUser } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ExecutionSummary } from '../../api/types';
import { Badge } from '../status/Badge';
import { AwaitsYou } from '../status/AwaitsYou';
import { type Column, DataTable, type ListState } from '../tables/DataTable';
import { plural } from '../format/format';
import { AnchorLink } from '../page/links';
import { Elapsed, RelativeTime } from '../format/RelativeTime';
import { StatusBadge } from '../status/StatusBadge';
import { runStatusLabel } from '../status/statuses';
import { queueText } from './queue-text';
import { RunLabels } from './RunLabels';

const columnsOf = (marked: boolean): Column<ExecutionSummary>[] => [
  { key: 'status', title: 'Status', from: 'sm', width: 205, render: (run) => <RunStatus run={run} /> },
  {
    key: 'plan',
    title: 'Run',
    render: (run) => (
      <Stack gap={0}>
        <Group gap="0 6px">
          <AnchorLink to="/executions/$id" params={{ id: run.id }} fw={550}>
            {run.planName}
          </AnchorLink>
          <Text span size="xs" c="dimmed">
            rev {run.planRevision}
            {run.execution_mode === 'dry_run' && ' · dry run'}
            {run.parentId !== null && ' · rerun'}
          </Text>
          {marked && run.awaitsYou && <AwaitsYou />}
          {run.pin?.legalHold && (
            <Badge tone="idle" icon={IconGavel}>
              Legal hold
            </Badge>
          )}
        </Group>
        <Box hiddenFrom="sm" my={2}>
          <RunStatus run={run} />
        </Box>
        <RunSubline run={run} />
      </Stack>
    ),
  },
  {
    key: 'environment',
    title: 'Environment',
    from: 'sm',
    inCard: true,
    width: 140,
    render: (run) => run.environmentName,
  },
  {
    key: 'hosts',
    title: 'Hosts',
    from: 'md',
    inCard: true,
    width: 100,
    render: (run) => plural(run.hostCount, 'host'),
  },
  { key: 'who', title: 'Started by', from: 'md', width: 150, render: (run) => <StartedBy run={run} /> },
  { key: 'when', title: 'Started', width: 110, render: (run) => <RelativeTime at={run.createdAt} /> },
  {
    key: 'took',
    title: 'Duration',
    from: 'sm',
    inCard: true,
    width: 115,
    render: (run) => <Elapsed from={run.startedAt} to={run.finishedAt} />,
  },
];
const MARKED_COLUMNS = columnsOf(true);
const UNMARKED_COLUMNS = columnsOf(false);

const RunStatus = ({ run }: { run: ExecutionSummary }) => (
  <StatusBadge status={run.status} label={runStatusLabel(run)} />
);

/** Text that distinguishes similar runs: why they wait or failed, and the note. */
function RunSubline({ run }: { run: ExecutionSummary }) {
  const reason = run.status === 'SUCCEEDED' ? null : (run.statusReason?.text ?? null);
  return (
    <>
      <RunLabels labels={run.labels} small />
      {[run.queue && queueText(run.queue), reason, run.note].map(
        (text, index) =>
          text && (
            <Text key={index} size="xs" c="dimmed" lineClamp={1} title={text} className="rw-wrap-anywhere">
              {text}
            </Text>
          ),
      )}
    </>
  );
}

export function StartedBy({
  run,
}: {
  run: Pick<ExecutionSummary, 'startedBy' | 'schedule' | 'startedVia' | 'tokenPrefix'>;
}) {
  const byToken = run.startedVia === 'token';
  if (run.schedule)
    return (
      <Group gap={4} wrap="nowrap" title={`Started by its schedule with the rights of ${run.startedBy.name}`}>
        <IconCalendarTime size={14} aria-hidden className="rw-no-shrink" />
        <AnchorLink to="/schedules/$id" params={{ id: run.schedule.id }} search={{}} className="rw-wrap-anywhere">
          {run.schedule.name}
        </AnchorLink>
      </Group>
    );
  const Glyph = byToken ? IconKey : IconUser;
  return (
    <Group
      gap={4}
      wrap="nowrap"
      title={byToken ? `Started with the API token ${run.tokenPrefix ?? ''}` : 'Started in the browser'}
    >
      <Glyph size={14} aria-hidden className="rw-no-shrink" />
      <span>
        {run.startedBy.name}
        {byToken && <Text span size="xs" c="dimmed">{` via ${run.tokenPrefix ?? 'token'}…`}</Text>}
      </span>
    </Group>
  );
}

interface Props {
  label: string;
  list: ListState<ExecutionSummary>;
  empty: ReactNode;
  marked?: boolean;
  /** First column, such as a check box. */
  leading?: Column<ExecutionSummary>;
}

export function RunsTable({ label, list, empty, marked = true, leading }: Props) {
  const own = marked ? MARKED_COLUMNS : UNMARKED_COLUMNS;
  const columns = leading ? [leading, ...own] : own;
  return <DataTable label={label} list={list} columns={columns} rowKey={(run) => run.id} empty={empty} />;
}
