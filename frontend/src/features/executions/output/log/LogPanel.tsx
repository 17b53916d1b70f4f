import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { failurePositionQuery, type LogPlace, type WindowFilters } from '../../../../api/queries/runs/executions';
import type { Execution } from '../../../../api/types';
import { ErrorPanel } from '../../../../ui/feedback/ErrorPanel';
import { statusStyle } from '../../../../ui/status/statuses';
import type { Cell } from '../../run/run-cells.reducer';
import { EmptyOutput } from '../lines/EmptyOutput';
import { LogView } from './LogView';
import { hasLaterLines } from './log-window';
import type { Line, LineRange } from '../lines/line';
import { useLogWindow } from './useLogWindow';

interface Props {
  run: Execution;
  filters: WindowFilters;
  cell: Cell | undefined;
  outputVersion: number;
  live: boolean;
  timeOf: (line: Line) => string | null;
  wrap: boolean;
  raw: boolean;
  /** Lines of the cell in the URL. */
  marked: LineRange | null;
  /** Line of the cell to show when it changes. */
  jumpTo?: number;
  searchTerm: string;
  originOf: ((line: Line) => string) | null;
  onSelectLine: (line: Line, isRange: boolean) => void;
  /** Number of lines; null = not known. */
  onCount?: (lines: number | null) => void;
}

/**
 * Output without a search. Opens at the line in the URL, otherwise at the failure, at the end of a run in progress, or
 * at the beginning.
 */
export function LogPanel(props: Props) {
  const { run, filters, cell, outputVersion, live, marked, jumpTo, onCount, ...view } = props;
  const isCell = filters.stepKey !== undefined && filters.serverId !== undefined;
  const linkedLine = isCell ? marked?.from : undefined;
  const failure = run.summary.firstFailure;
  const concernsFailure =
    failure !== null &&
    (filters.stepKey ?? failure.stepKey) === failure.stepKey &&
    (filters.serverId ?? failure.serverId) === failure.serverId;
  const [choice] = useState((): LogPlace | 'failure' => {
    if (linkedLine !== undefined) return { around: linkedLine };
    if (isCell && (concernsFailure || (cell && statusStyle(cell.status).tone === 'bad'))) return { tail: TAIL_LINES };
    if (concernsFailure && !live) return 'failure';
    return live ? { tail: TAIL_LINES } : { from: 1 };
  });
  const position = useQuery({ ...failurePositionQuery(run.id, failure), enabled: choice === 'failure' });
  const atFailure = choice === 'failure' ? position.data : undefined;
  const place =
    choice !== 'failure' ? choice : position.isPending ? null : atFailure ? { around: atFailure } : { from: 1 };
  const [following, setFollowing] = useState(live && choice !== 'failure' && 'tail' in choice);
  const log = useLogWindow(run.id, filters, place, outputVersion, following);
  const { window: loaded, error } = log;

  const isDense = isCell || (filters.stepKey === undefined && filters.serverId === undefined);
  const count =
    loaded && isDense && filters.stream === undefined ? (loaded.last === 0 ? 0 : loaded.last - loaded.first + 1) : null;
  useEffect(() => onCount?.(count), [count, onCount]);

  const { open } = log;
  const lastJump = useRef(jumpTo);
  useEffect(() => {
    if (jumpTo === undefined || lastJump.current === jumpTo) return;
    lastJump.current = jumpTo;
    setFollowing(false);
    open({ around: jumpTo });
  }, [jumpTo, open]);

  const isEmpty = !loaded || loaded.lines.length === 0;
  // The server ends a search for lines of one stream or host after a part of the output.
  useEffect(() => {
    if (!isEmpty || error !== null) return;
    log.readEarlier();
    log.readLater();
  }, [isEmpty, error, log]);
  const isMissing = linkedLine !== undefined && !isEmpty && !loaded.lines.some(({ position: at }) => at === linkedLine);
  return (
    <>
      {error !== null && <ErrorPanel error={error} onRetry={log.retry} title="The output could not be loaded" />}
      {isMissing && log.opened?.serial === 1 && (
        <Text size="sm" c="dimmed" px="md" py={6} role="status">
          Line {linkedLine} is not stored. The output has the lines {loaded.first} to {loaded.last}.
        </Text>
      )}
      {isEmpty && error === null && (
        <EmptyOutput
          loading={!loaded || hasLaterLines(loaded) || loaded.previous !== null}
          finished={!live}
          searched={false}
        />
      )}
      {!isEmpty && (
        <LogView
          {...view}
          log={log}
          live={live}
          following={following}
          onFollow={setFollowing}
          marked={isCell && marked ? marked : atFailure ? { from: atFailure, to: atFailure } : null}
        />
      )}
    </>
  );
}

const TAIL_LINES = 500;
