import { Group, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { duration } from '../../../ui/format/format';
import { StatusDot } from '../../../ui/status/StatusBadge';
import statusClasses from '../../../ui/status/status.module.css';
import { type AnyStatus, statusStyle } from '../../../ui/status/statuses';
import { VirtualRows } from '../../../ui/tables/VirtualRows';
import type { ListState } from '../../../ui/tables/DataTable';
import { type Axis, type Bar, BAR_LABELS, barsText } from './timeline-bars';
import classes from './timeline.module.css';

const ROW_PX = 33;

export interface TimelineRow {
  id: string;
  name: string;
  status: AnyStatus;
  bars: readonly Bar[];
  attempts: number;
  /** Time from the beginning to the end, in ms; null = not finished. */
  durationMs: number | null;
  /** Place of the usual duration, as a share of the axis; null = none. */
  usual: number | null;
}

interface Props {
  label: string;
  /** Heading of the names. */
  heading: string;
  rows: readonly TimelineRow[];
  axis: Axis;
  more?: ListState<TimelineRow>['more'];
  selected: string | undefined;
  renderName: (row: TimelineRow) => ReactNode;
  onSelect: (row: TimelineRow) => void;
}

/** Rows with bars on a common time axis. Renders only visible rows. */
export function TimelineRows({ label, heading, rows, axis, more, selected, renderName, onSelect }: Props) {
  const length = axis.to - axis.from;
  return (
    <VirtualRows
      rows={rows}
      rowKey={({ id }) => id}
      rowPx={ROW_PX}
      fixedHeight
      rowClass={() => `${classes.row} ${classes.line}`}
      more={more}
      frame={{ className: classes.frame, withBorder: false, radius: 0 }}
      table={{ role: 'table', 'aria-label': label, 'aria-rowcount': more ? -1 : rows.length + 1 }}
      head={
        <div role="row" aria-rowindex={1} className={`${classes.row} ${classes.head}`}>
          <div role="columnheader">{heading}</div>
          <div role="columnheader" className={classes.axis}>
            {[0, 0.5, 1].map((share) => (
              <span key={share}>{duration(length * share)}</span>
            ))}
          </div>
          <div role="columnheader" className={classes.duration}>
            Time
          </div>
        </div>
      }
      renderRow={(row) => (
        <>
          <div role="cell" className={classes.nameCell}>
            <button
              type="button"
              className={`${classes.name} ${selected === row.id ? classes.selected : ''}`}
              title={row.name}
              aria-current={selected === row.id || undefined}
              onClick={() => onSelect(row)}
            >
              <StatusDot status={row.status} size={14} />
              {renderName(row)}
            </button>
          </div>
          <div role="cell" className={classes.track} title={barsText(row.bars, row.attempts)}>
            <VisuallyHidden>{barsText(row.bars, row.attempts)}</VisuallyHidden>
            {row.bars.map(({ kind, from, to }) => (
              <span
                key={kind}
                aria-hidden
                data-kind={kind}
                className={`${classes.bar} ${statusClasses[statusStyle(row.status).tone]}`}
                style={{ insetInlineStart: `${from * 100}%`, width: `${(to - from) * 100}%` }}
              />
            ))}
            {row.usual !== null && (
              <span aria-hidden className={classes.usual} style={{ insetInlineStart: `${row.usual * 100}%` }} />
            )}
          </div>
          <div role="cell" className={classes.duration}>
            {row.durationMs === null ? '' : duration(row.durationMs)}
          </div>
        </>
      )}
    />
  );
}

/** Meaning of the bars. */
export function Legend({ usual }: { usual: string | null }) {
  return (
    <Group gap="4px 14px" px="xs" pb="xs">
      {(['waiting', 'connecting', 'retrying', 'running'] as const).map((kind) => (
        <Text key={kind} size="xs" className={classes.legend}>
          <span aria-hidden data-kind={kind} className={`${classes.sample} ${statusClasses.good}`} />
          {BAR_LABELS[kind]}
        </Text>
      ))}
      {usual !== null && (
        <Text size="xs" className={classes.legend}>
          <span aria-hidden className={classes.usualSample} />
          {usual}
        </Text>
      )}
    </Group>
  );
}
