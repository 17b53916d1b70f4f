import { SimpleGrid } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { EmptyState } from '../src/ui/feedback/EmptyState';
import { StatusBadge } from '../src/ui/status/StatusBadge';
import type { AnyStatus } from '../src/ui/status/statuses';
import { type Column, DataTable, type ListState } from '../src/ui/tables/DataTable';

interface Row {
  name: string;
  status: AnyStatus;
}

const ROWS: Row[] = [
  { name: 'Deploy shop', status: 'SUCCEEDED' },
  { name: 'Patch system', status: 'RUNNING' },
  { name: 'A plan with a name that does not fit into its column', status: 'FAILED' },
];
const COLUMNS: Column<Row>[] = [
  { key: 'name', title: 'Plan', render: ({ name }) => name },
  { key: 'status', title: 'Status', render: ({ status }) => <StatusBadge status={status} /> },
];
const LIST: ListState<Row> = { rows: ROWS, error: null, refetch: () => undefined };
const STATES: [string, ListState<Row>][] = [
  ['Rows', { ...LIST, more: { load: () => undefined, loading: false } }],
  ['Empty', { ...LIST, rows: [] }],
  ['Loading', { ...LIST, rows: undefined }],
  ['Failed', { ...LIST, rows: undefined, error: new Error('The list could not be read.') }],
];

export const Tables = () => (
  <SimpleGrid cols={{ base: 1, md: 2 }}>
    {STATES.map(([label, list]) => (
      <div key={label}>
        <DataTable
          label={label}
          list={list}
          columns={COLUMNS}
          rowKey={({ name }) => name}
          empty={
            <EmptyState icon={IconHistory} title="No runs">
              Start a plan to see its runs.
            </EmptyState>
          }
        />
      </div>
    ))}
  </SimpleGrid>
);
