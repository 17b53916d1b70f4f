import { Button, Group, Paper, SegmentedControl, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { OUTPUT_PART_LINES, outputPartQuery } from '../../../api/queries/runs/comparison';
import type { OutputWindow, RunComparison } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { lastState } from '../../../ui/format/last-state';
import { plural } from '../../../ui/format/format';
import { spansOf } from '../output/lines/ansi';
import { type LogLine, toLogWindow } from '../output/log/log-window';
import { findFirstDifference } from './first-difference';
import { pairLines } from './output-pairs';
import classes from './compare.module.css';

const REFRESH_MS = 5_000;
const route = getRouteApi('/app/executions/$id/compare');

interface Props {
  comparison: RunComparison;
  active: boolean;
}

/** Outputs of the selected step on the selected host, side by side. */
export function ComparedOutputs({ comparison, active }: Props) {
  const { step, host, part } = route.useSearch();
  const { run, comparedTo } = comparison;
  return (
    <section aria-label="Output">
      <Title order={2} size="h5" mb={6}>
        Output
      </Title>
      {comparedTo && step && host ? (
        <Outputs
          key={`${run.id} ${comparedTo.id} ${step} ${host} ${part}`}
          ids={[comparedTo.id, run.id]}
          stepKey={step}
          serverId={host}
          active={active}
        />
      ) : (
        <Text c="dimmed">Select a step and a host above to compare their output.</Text>
      )}
    </section>
  );
}

interface OutputsProps {
  /** IDs of the earlier run and of this one. */
  ids: readonly [string, string];
  stepKey: string;
  serverId: string;
  active: boolean;
}

function Outputs(props: OutputsProps) {
  const { part } = route.useSearch();
  const { ids, stepKey, serverId } = props;
  const client = useQueryClient();
  const difference = useQuery({
    queryKey: ['executions', 'one', ids[1], 'first-difference', ids[0], stepKey, serverId],
    queryFn: () =>
      findFirstDifference(OUTPUT_PART_LINES, async (from) => {
        const read = (id: string) => client.fetchQuery(outputPartQuery(id, { stepKey, serverId, place: { from } }));
        const [before, after] = await Promise.all([read(ids[0]), read(ids[1])]);
        return { before: toLogWindow(before), after: toLogWindow(after) };
      }),
    enabled: part === undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (part === undefined && difference.isLoading) return <Loading />;
  const { from = 1, sameLines = null } = part === undefined ? (difference.data ?? {}) : {};
  return <OutputPart {...props} firstLine={from} sameLines={sameLines} />;
}

const Loading = () => (
  <Paper>
    <RowsSkeleton />
  </Paper>
);

interface PartProps extends OutputsProps {
  firstLine: number;
  /** Number of lines that are known to be the same, if more follow. */
  sameLines: number | null;
}

/** Height of the rows that stay visible above the first difference. */
const CONTEXT_PX = 80;

function OutputPart({ ids: [beforeId, afterId], stepKey, serverId, active, firstLine, sameLines }: PartProps) {
  const { part } = route.useSearch();
  const navigate = useNavigate({ from: '/executions/$id/compare' });
  /** First line of the part, if it is not the end of the output. */
  const [from, setFrom] = useState(firstLine);
  const place = part === 'end' ? { tail: OUTPUT_PART_LINES } : { from };
  const refresh = { refetchInterval: active ? REFRESH_MS : (false as const) };
  const before = useQuery({ ...outputPartQuery(beforeId, { stepKey, serverId, place }), ...refresh });
  const after = useQuery({ ...outputPartQuery(afterId, { stepKey, serverId, place }), ...refresh });
  const pairs = useMemo(() => pairLines(linesOf(before.data), linesOf(after.data)), [before.data, after.data]);
  const scrolled = useRef<HTMLDivElement>(null);
  const isLoaded = before.data !== undefined && after.data !== undefined;
  useEffect(() => {
    const row = part === undefined && scrolled.current?.querySelector<HTMLElement>('[data-differs]');
    if (!isLoaded || !row || !scrolled.current) return;
    scrolled.current.scrollTop = row.offsetTop - CONTEXT_PX;
    scrolled.current.scrollIntoView({ block: 'nearest' });
  }, [isLoaded, part]);
  const failed = [before, after].find(({ error }) => error);
  if (failed?.error) return <ErrorPanel error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!before.data || !after.data) return <Loading />;
  const lastLine = Math.max(before.data.last, after.data.last);
  const changes = pairs.filter(({ isSame }) => !isSame).length;
  return (
    <Paper className="rw-clip">
      <Group justify="space-between" p="xs" gap="xs">
        <Text c="dimmed" role="status">
          {changes === 0 ? 'No differences' : plural(changes, 'different line')}
          {lastLine > OUTPUT_PART_LINES && ' in this part'}
          {sameLines !== null && `. The first ${sameLines.toLocaleString('en')} lines are the same.`}
        </Text>
        <Group gap="xs">
          {part !== 'end' && lastLine > OUTPUT_PART_LINES && (
            <>
              <Button
                variant="default"
                disabled={from === 1}
                onClick={() => setFrom(Math.max(1, from - OUTPUT_PART_LINES))}
              >
                Previous lines
              </Button>
              <Button
                variant="default"
                disabled={from + OUTPUT_PART_LINES > lastLine}
                onClick={() => setFrom(from + OUTPUT_PART_LINES)}
              >
                Next lines
              </Button>
            </>
          )}
          <SegmentedControl
            aria-label="Part of the output"
            size="xs"
            value={part ?? 'difference'}
            data={[
              { value: 'difference', label: 'First difference' },
              { value: 'begin', label: 'Beginning' },
              { value: 'end', label: 'End' },
            ]}
            onChange={(value) =>
              void navigate({
                search: (old) => ({ ...old, part: value === 'begin' || value === 'end' ? value : undefined }),
                replace: true,
                resetScroll: false,
              })
            }
          />
        </Group>
      </Group>
      <div ref={scrolled} className={classes.outputs} role="group" aria-label="Output lines of both runs" tabIndex={0}>
        <div className={`${classes.pair} ${classes.head}`}>
          <div>Earlier run, {plural(before.data.last, 'line')}</div>
          <div>This run, {plural(after.data.last, 'line')}</div>
        </div>
        {pairs.map((pair, index) => (
          <div key={index} className={classes.pair} data-testid="line-pair" data-differs={!pair.isSame || undefined}>
            <OutputSide line={pair.before} change={pair.isSame ? undefined : 'removed'} />
            <OutputSide line={pair.after} change={pair.isSame ? undefined : 'added'} />
          </div>
        ))}
      </div>
    </Paper>
  );
}

const linesOf = (view: OutputWindow | undefined): readonly LogLine[] => (view ? toLogWindow(view).lines : []);

function OutputSide({ line, change }: { line: LogLine | null; change: 'added' | 'removed' | undefined }) {
  return (
    <div className={classes.line} data-change={line ? change : undefined}>
      {line && (
        <>
          <span className={classes.number}>{line.number}</span>
          <span className={classes.stream} title={line.stream === 'stderr' ? 'Standard error' : undefined}>
            {line.stream === 'stderr' ? 'E' : ''}
          </span>
          <span className={classes.text}>
            {spansOf(lastState(line.text)).map((span, index) => (
              <span key={index} className={span.className || undefined}>
                {span.text}
              </span>
            ))}
          </span>
        </>
      )}
    </div>
  );
}
