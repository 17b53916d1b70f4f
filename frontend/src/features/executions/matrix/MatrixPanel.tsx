import { Button, Group, Paper, SegmentedControl, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconX } from '@tabler/icons-react';
import { useMemo } from 'react';
import type { Execution, ExecutionHost } from '../../../api/types';
import { statusStyle } from '../../../ui/status/statuses';
import { SearchField } from '../../../ui/forms/SearchField';
import type { Cells } from '../run/run-cells.reducer';
import { useFailureCauses } from '../run/useFailureCauses';
import { StepNotes } from './StepNotes';
import { Matrix, type Selection } from './Matrix';
import classes from './matrix.module.css';
import { filterRows, matrixRows, type Show } from './matrix-rows';

const route = getRouteApi('/app/executions/$id');
const SHOW_CHOICES = [
  { value: 'all', label: 'All' },
  { value: 'failed', label: 'Failed' },
  { value: 'active', label: 'Active' },
  { value: 'good', label: 'Succeeded' },
];

interface Props {
  run: Execution;
  hosts: ExecutionHost[];
  cells: Cells;
  loading: boolean;
}

export function MatrixPanel({ run, hosts, cells, loading }: Props) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/executions/$id' });
  const causes = useFailureCauses(run).data?.items;
  const cause = causes?.find(({ id }) => id === search.cause);
  const rows = useMemo(() => matrixRows(hosts, run.steps, cells), [hosts, run.steps, cells]);
  const filteredRows = useMemo(
    () => filterRows(rows, search.hosts, search.show, cause?.serverIds),
    [rows, search.hosts, search.show, cause],
  );
  const select = ({ step, host }: Selection) =>
    void navigate({ search: (before) => ({ ...before, step, host, line: undefined, q: undefined }) });
  const filter = (change: { hosts?: string; show?: Show; cause?: undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });

  return (
    <Paper component="section" aria-label="Results" className="rw-clip">
      <Group gap="xs" p="xs">
        <SearchField
          label="Find a host"
          value={search.hosts ?? ''}
          onChange={(value) => filter({ hosts: value || undefined })}
          width={190}
        />
        <SegmentedControl
          aria-label="Filter hosts"
          data={SHOW_CHOICES}
          value={search.show ?? 'all'}
          onChange={(value) => filter({ show: value === 'all' ? undefined : (value as Show) })}
        />
        {cause && (
          <Button
            variant="light"
            color="red"
            rightSection={<IconX size={14} aria-hidden />}
            aria-label="Show hosts with all causes"
            onClick={() => filter({ cause: undefined })}
            className={classes.cause}
          >
            {cause.text ?? statusStyle(cause.status).label}
          </Button>
        )}
        {rows.some((row) => row.cells.some((cell) => cell?.changed === true)) && (
          <span className={classes.legend}>
            <span className={classes.changed} /> changed the host
          </span>
        )}
      </Group>
      {filteredRows.length > 0 ? (
        <Matrix rows={filteredRows} steps={run.steps} selection={search} loading={loading} onSelect={select} />
      ) : (
        <Text c="dimmed" p="md" ta="center">
          {rows.length === 0 ? 'This run has no hosts.' : 'No hosts match this filter.'}
        </Text>
      )}
      <StepNotes steps={run.steps} />
    </Paper>
  );
}
