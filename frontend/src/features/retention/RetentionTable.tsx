import { Button, Text } from '@mantine/core';
import { IconDatabase } from '@tabler/icons-react';
import type { RetainedEnvironment } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { bytes, plural } from '../../ui/format/format';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { AnchorLink } from '../../ui/page/links';
import { type Column, DataTable } from '../../ui/tables/DataTable';
import { limitsText } from './rule-form';

interface Props {
  environments: RetainedEnvironment[];
  onChangeRule: (environment: RetainedEnvironment) => void;
}

export function RetentionTable({ environments, onChangeRule }: Props) {
  const columns: Column<RetainedEnvironment>[] = [
    { key: 'name', title: 'Environment', render: (each) => <Name environment={each} /> },
    { key: 'runs', title: 'Runs', align: 'right', width: 90, render: (each) => each.runs },
    { key: 'bytes', title: 'Output', align: 'right', width: 110, render: (each) => bytes(each.bytes) },
    {
      key: 'held',
      title: 'Legal holds',
      align: 'right',
      width: 110,
      from: 'sm',
      render: ({ environmentId, heldRuns }) =>
        heldRuns === 0 ? (
          '–'
        ) : (
          <AnchorLink
            to="/executions"
            search={{ environment: environmentId, held: true }}
            aria-label={`${plural(heldRuns, 'run')} under a legal hold`}
          >
            {heldRuns}
          </AnchorLink>
        ),
    },
    {
      key: 'oldest',
      title: 'Oldest run',
      width: 140,
      from: 'md',
      render: ({ oldestAt }) => (oldestAt ? <RelativeTime at={oldestAt} /> : '–'),
    },
    {
      key: 'rule',
      title: 'Retention',
      from: 'xs',
      render: (each) =>
        each.rule ? (
          limitsText(each.rule)
        ) : (
          <Text span c="dimmed">
            tenant rule
          </Text>
        ),
    },
    {
      key: 'actions',
      title: '',
      width: 90,
      align: 'right',
      render: (each) =>
        each.environmentName === null ? null : (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => onChangeRule(each)}
            aria-label={`Change rule of ${each.environmentName}`}
          >
            Change rule
          </Button>
        ),
    },
  ];
  return (
    <DataTable
      label="Storage by environment"
      list={{ rows: environments, error: null, refetch: () => undefined }}
      columns={columns}
      rowKey={({ environmentId }) => environmentId}
      empty={
        <EmptyState icon={IconDatabase} title="No stored runs yet">
          Environments appear here when their first run has finished.
        </EmptyState>
      }
    />
  );
}

function Name({ environment: { environmentId, environmentName } }: { environment: RetainedEnvironment }) {
  if (environmentName === null)
    return (
      <Text span c="dimmed">
        a deleted environment
      </Text>
    );
  return (
    <AnchorLink to="/environments/$id" params={{ id: environmentId }}>
      {environmentName}
    </AnchorLink>
  );
}
