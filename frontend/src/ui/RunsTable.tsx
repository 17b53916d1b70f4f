import { Group, Stack, Text } from '@mantine/core';
import { IconKey, IconUser } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ExecutionSummary } from '../api/types';
import { type Column, DataTable, type ListState } from './DataTable';
import { plural } from './format';
import { AnchorLink } from './links';
import { Elapsed, RelativeTime } from './RelativeTime';
import { StatusBadge } from './StatusBadge';
import { runStatusWord } from './statuses';

const columns: Column<ExecutionSummary>[] = [
  {
    key: 'status',
    title: 'Status',
    width: 170,
    render: (run) => <StatusBadge status={run.status} word={runStatusWord(run)} />,
  },
  {
    key: 'plan',
    title: 'Run',
    render: (run) => (
      <Stack gap={0}>
        <Group gap={6}>
          <AnchorLink to="/executions/$id" params={{ id: run.id }} fw={550}>
            {run.planName}
          </AnchorLink>
          <Text span size="xs" c="dimmed">
            rev {run.planRevision}
            {run.execution_mode === 'dry_run' && ' · dry run'}
            {run.parentId !== null && ' · again'}
          </Text>
        </Group>
        <RunSubline run={run} />
      </Stack>
    ),
  },
  { key: 'environment', title: 'Environment', from: 'sm', width: 140, render: (run) => run.environmentName },
  { key: 'hosts', title: 'Hosts', from: 'md', width: 90, render: (run) => plural(run.hostCount, 'host') },
  { key: 'who', title: 'Started by', from: 'md', width: 180, render: (run) => <StartedBy run={run} /> },
  { key: 'when', title: 'When', width: 110, render: (run) => <RelativeTime at={run.createdAt} /> },
  {
    key: 'took',
    title: 'Took',
    from: 'sm',
    width: 110,
    render: (run) => <Elapsed from={run.startedAt} to={run.finishedAt} />,
  },
];

/** Why it failed, or why it was started: the one line that tells runs apart. */
function RunSubline({ run }: { run: ExecutionSummary }) {
  const text = run.successful ? run.note : (run.statusReason?.text ?? run.note);
  if (!text) return null;
  return (
    <Text size="xs" c="dimmed" lineClamp={1}>
      {text}
    </Text>
  );
}

export function StartedBy({ run }: { run: Pick<ExecutionSummary, 'startedBy' | 'startedVia' | 'tokenPrefix'> }) {
  const byToken = run.startedVia === 'token';
  const Glyph = byToken ? IconKey : IconUser;
  return (
    <Group gap={4} wrap="nowrap" title={byToken ? `Through the API token ${run.tokenPrefix ?? ''}` : 'In the browser'}>
      <Glyph size={14} aria-hidden style={{ flexShrink: 0 }} />
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
}

export function RunsTable({ label, list, empty }: Props) {
  return <DataTable label={label} list={list} columns={columns} rowKey={(run) => run.id} empty={empty} />;
}
