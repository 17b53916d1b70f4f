import { Group, NativeSelect, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { usualDurationQuery } from '../../../api/queries/runs/comparison';
import { slowestResultsQuery } from '../../../api/queries/runs/executions';
import type { Execution, ExecutionStep } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { duration, plural } from '../../../ui/format/format';
import { useNow } from '../../../ui/format/useNow';
import { listState } from '../../../ui/tables/list-state';
import type { Selection } from '../run/selection';
import { HostName } from '../run/HostName';
import { wholeName } from '../run/step-name';
import { type Axis, hostBars, spanBars, toAxis, usualShare } from './timeline-bars';
import { Legend, type TimelineRow, TimelineRows } from './TimelineRows';
import classes from './timeline.module.css';

interface Props {
  run: Execution;
  /** Choice of the view. */
  view: ReactNode;
  /** Suffix that all host names of the run share. */
  suffix: string;
  selection: Selection;
  onSelect: (selection: Selection) => void;
}

/** Times of the steps of a run, or of the hosts of one step. */
export function TimelinePanel({ run, view, suffix, selection, onSelect }: Props) {
  const now = useNow();
  const step = run.steps.find(({ key }) => key === selection.step);
  const usual = useQuery(usualDurationQuery(run.id, step?.key)).data;
  const usualText =
    usual && usual.medianMs !== null
      ? `Median of ${plural(usual.runs, 'earlier run')}: ${duration(usual.medianMs)}`
      : null;
  return (
    <>
      <Group p="xs" gap="xs">
        {view}
        <NativeSelect
          aria-label="Step of the timeline"
          maw="100%"
          value={step?.key ?? ''}
          data={[
            { value: '', label: 'All steps' },
            ...run.steps.map((each) => ({ value: each.key, label: wholeName(each) })),
          ]}
          onChange={({ currentTarget: { value } }) => onSelect({ step: value || undefined })}
        />
        {step?.status === 'RUNNING' && <Text size="xs">Hosts that are not finished come last.</Text>}
      </Group>
      <Legend usual={usualText} />
      {step ? (
        <Hosts
          key={step.key}
          {...{ run, step, suffix, onSelect }}
          axis={toAxis(step.startedAt, step.finishedAt, now)}
          medianMs={usual?.medianMs ?? null}
          selected={selection.host}
        />
      ) : (
        <Steps
          {...{ run, onSelect }}
          axis={toAxis(run.startedAt, run.finishedAt, now)}
          medianMs={usual?.medianMs ?? null}
        />
      )}
    </>
  );
}

interface PartProps {
  run: Execution;
  axis: Axis;
  medianMs: number | null;
  onSelect: (selection: Selection) => void;
}

const msBetween = (from: string | null, to: string | null): number | null =>
  from && to ? Math.max(0, Date.parse(to) - Date.parse(from)) : null;

function Steps({ run, axis, medianMs, onSelect }: PartProps) {
  const rows = run.steps.map(
    ({ startedAt, finishedAt, ...step }): TimelineRow => ({
      ...{ id: step.key, name: wholeName(step), status: step.status, attempts: 1 },
      bars: startedAt ? spanBars(startedAt, finishedAt, axis) : [],
      durationMs: msBetween(startedAt, finishedAt),
      usual: usualShare(run.startedAt, medianMs, axis),
    }),
  );
  return (
    <TimelineRows
      label="Timeline of steps"
      heading={plural(rows.length, 'step')}
      rows={rows}
      axis={axis}
      selected={undefined}
      renderName={({ name }) => <span className={classes.text}>{name}</span>}
      onSelect={({ id }) => onSelect({ step: id })}
    />
  );
}

interface HostsProps extends PartProps {
  step: ExecutionStep;
  suffix: string;
  selected: string | undefined;
}

function Hosts({ run, step, suffix, axis, medianMs, selected, onSelect }: HostsProps) {
  const results = useInfiniteQuery(slowestResultsQuery(run.id, step.key, step.finishedAt !== null));
  const list = listState(results);
  const rows = useMemo(
    () =>
      list.rows?.map(
        (result): TimelineRow => ({
          ...{ id: result.serverId, name: result.serverName, status: result.status, attempts: result.attempts },
          bars: hostBars(result, axis),
          durationMs: msBetween(result.startedAt, result.finishedAt),
          usual: usualShare(result.startedAt, medianMs, axis),
        }),
      ),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `list` is new on each render
    [results.data, axis.from, axis.to, medianMs],
  );
  if (list.error) return <ErrorPanel error={list.error} onRetry={list.refetch} />;
  if (!rows) return <RowsSkeleton />;
  if (rows.length === 0)
    return (
      <Text c="dimmed" p="md" ta="center">
        No host has results in this step.
      </Text>
    );
  return (
    <TimelineRows
      label={`Timeline of hosts in ${step.name}`}
      heading="Slowest hosts first"
      rows={rows}
      axis={axis}
      more={list.more}
      selected={rows.find(({ id, name }) => id === selected || name === selected)?.id}
      renderName={({ name }) => <HostName name={name} suffix={suffix} />}
      onSelect={({ name }) => onSelect({ step: step.key, host: name })}
    />
  );
}
