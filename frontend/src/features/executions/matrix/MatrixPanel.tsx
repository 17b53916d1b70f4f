import { Button, Group, NativeSelect, Paper, SegmentedControl, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconX } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { resultGridQuery } from '../../../api/queries/runs/executions';
import type { Execution, ExecutionHost } from '../../../api/types';
import { statusStyle } from '../../../ui/status/statuses';
import { SearchField } from '../../../ui/forms/SearchField';
import type { Cells } from '../run/run-cells.reducer';
import { useFailureCauses } from '../run/useFailureCauses';
import { TimelinePanel } from '../timeline/TimelinePanel';
import { StepNotes } from './StepNotes';
import { GroupBar } from './GroupBar';
import { HeatMap } from './HeatMap';
import { groupingTags, groupRows, inGroup, withFacts } from './host-groups';
import { commonSuffix } from '../run/host-names';
import type { Selection } from '../run/selection';
import { Matrix } from './Matrix';
import classes from './matrix.module.css';
import { countHosts, filterRows, firstFailedStep, matrixRows, type Show, type Sort, sortRows } from './matrix-rows';

const route = getRouteApi('/app/executions/$id');
const SHOW_CHOICES = [
  ['all', 'All'],
  ['failed', 'Failed'],
  ['active', 'Active'],
  ['good', 'Succeeded'],
] as const;
const SORTS: { value: string; label: string; sort?: Sort }[] = [
  { value: '', label: 'Failed first' },
  { value: 'name', label: 'By name', sort: 'name' },
  { value: 'slow', label: 'Slowest first', sort: 'slow' },
];
/** Number of hosts from which a map is easier to read than the rows. */
const MIN_MAPPED_HOSTS = 20;

const VIEWS = [
  { value: 'grid', label: 'Grid' },
  { value: 'timeline', label: 'Timeline' },
];

interface Filters {
  view?: 'timeline';
  hosts?: string;
  show?: Show;
  cause?: undefined;
  sort?: Sort;
  /** Tag that divides the hosts into groups. */
  by?: string;
  /** Selector of the only group to show. */
  group?: string;
}

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
  const cause = causes?.find(({ key }) => key === search.cause);
  const durations = useDurations(run);
  const labelled = useHostLabels(run, hosts);
  const rows = useMemo(
    () => matrixRows(labelled, run.steps, cells, durations),
    [labelled, run.steps, cells, durations],
  );
  const hostOrder = useMemo(() => sortRows(rows, 'name'), [rows]);
  const suffix = useMemo(() => commonSuffix(hosts.map(({ name }) => name)), [hosts]);
  const tags = useMemo(() => groupingTags(labelled), [labelled]);
  const tag = search.by !== undefined && tags.includes(search.by) ? search.by : undefined;
  const groups = useMemo(() => (tag === undefined ? [] : groupRows(rows, tag)), [rows, tag]);
  const filteredRows = useMemo(
    () =>
      filterRows(sortRows(rows, search.sort), search.hosts, search.show, cause?.serverIds).filter((row) =>
        inGroup(row, tag, search.group),
      ),
    [rows, search.sort, search.hosts, search.show, cause, tag, search.group],
  );
  const select = ({ step, host }: Selection) =>
    void navigate({ search: (before) => ({ ...before, step, host, line: undefined, q: undefined }) });
  const filter = (change: Filters) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true });

  const view = (
    <SegmentedControl
      aria-label="View of the results"
      data={VIEWS}
      value={search.view ?? 'grid'}
      onChange={(value) => filter({ view: value === 'timeline' ? value : undefined })}
    />
  );
  if (search.view === 'timeline')
    return (
      <Paper component="section" aria-label="Results" className={`rw-clip ${classes.panel}`}>
        <TimelinePanel run={run} view={view} suffix={suffix} selection={search} onSelect={select} />
      </Paper>
    );
  return (
    <Paper component="section" aria-label="Results" className={`rw-clip ${classes.panel}`}>
      <Group gap="xs" p="xs" className={classes.tools}>
        {view}
        <SearchField
          label="Find a host"
          value={search.hosts ?? ''}
          onChange={(value) => filter({ hosts: value || undefined })}
          width={150}
        />
        {run.finished && rows.length > 1 && (
          <NativeSelect
            aria-label="Order of hosts"
            value={search.sort ?? ''}
            data={SORTS}
            onChange={({ currentTarget: { value } }) =>
              filter({ sort: SORTS.find((each) => each.value === value)?.sort })
            }
          />
        )}
        {tags.length > 0 && (
          <NativeSelect
            aria-label="Groups of hosts"
            value={tag ?? ''}
            data={[{ value: '', label: 'No groups' }, ...tags.map((value) => ({ value, label: `By ${value}` }))]}
            onChange={({ currentTarget: { value } }) => filter({ by: value || undefined, group: undefined })}
          />
        )}
        <SegmentedControl
          aria-label="Filter hosts"
          fullWidth
          className={classes.show}
          data={SHOW_CHOICES.map(([value, label]) => {
            const count = countHosts(run, rows, value === 'all' ? undefined : value);
            return { value, label: count === 0 ? label : `${label} ${count.toLocaleString('en')}` };
          })}
          value={search.show ?? 'all'}
          onChange={(value) => filter({ show: value === 'all' ? undefined : value })}
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
        {run.steps.some(
          ({ reportsChange }, index) => reportsChange && rows.some(({ cells: row }) => row[index]?.changed === true),
        ) && (
          <span className={classes.legend}>
            <span className={classes.changed} /> changed the host
          </span>
        )}
      </Group>
      {tag !== undefined && (
        <GroupBar tag={tag} groups={groups} selected={search.group} onSelect={(group) => filter({ group })} />
      )}
      {rows.length >= MIN_MAPPED_HOSTS && (
        <HeatMap
          rows={hostOrder}
          hosts={Math.max(run.hostCount, hostOrder.length)}
          selectedHost={search.host}
          onSelect={(host) => select({ host, step: firstFailedStep(rows, run.steps, host) })}
        />
      )}
      {filteredRows.length > 0 ? (
        <Matrix
          rows={filteredRows}
          loadingHosts={hosts.length < run.hostCount ? run.hostCount : null}
          suffix={suffix}
          steps={run.steps}
          selection={search}
          loading={loading}
          showsDurations={search.sort === 'slow'}
          onSelect={select}
        />
      ) : (
        <Text c="dimmed" p="md" ta="center">
          {rows.length === 0 ? 'This run has no hosts.' : 'No hosts match this filter.'}
        </Text>
      )}
      <StepNotes steps={run.steps} />
    </Paper>
  );
}

const NO_DURATIONS: ReadonlyMap<string, number> = new Map();

/** Time that the steps of a finished run took on each server, in ms, by ID. */
/** Returns the hosts with their facts among the tags, as `facts.os`. Tags of the same name take precedence. */
function useHostLabels({ id }: Execution, hosts: readonly ExecutionHost[]): readonly ExecutionHost[] {
  const { data: grid } = useQuery(resultGridQuery(id));
  return useMemo(() => (grid ? withFacts(hosts, grid) : hosts), [hosts, grid]);
}

function useDurations({ id, finished }: Execution): ReadonlyMap<string, number> {
  const { data: grid } = useQuery({ ...resultGridQuery(id), enabled: finished });
  return useMemo(
    () =>
      grid
        ? new Map(grid.serverIds.map((serverId, index): [string, number] => [serverId, grid.durationsMs[index] ?? 0]))
        : NO_DURATIONS,
    [grid],
  );
}
