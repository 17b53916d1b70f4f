import { Button, Group, Paper, Text } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';
import { ErrorPanel } from '../feedback/ErrorPanel';
import { RowsSkeleton } from '../feedback/Skeletons';
import type { ListState } from './DataTable';
import classes from './virtual-table.module.css';

const ROW_PX = 37;
/** The next page is requested when this many loaded rows remain below the visible ones. */
const AHEAD = 40;

interface Props<T> {
  label: string;
  region: string;
  list: ListState<T>;
  /** Total number of rows, including those not loaded; undefined = unknown. */
  total?: number;
  titles: readonly string[];
  /** CSS class with the column widths. */
  rowClass?: string;
  rowKey: (row: T) => string | number;
  /** Returns cells with `role="cell"`. */
  renderRow: (row: T) => ReactNode;
  empty?: ReactNode;
  onVisibleRows?: (rows: readonly T[]) => void;
}

/** Long list in one of four states. Renders only visible rows. */
export function VirtualTable<T>({ list, empty, ...props }: Props<T>) {
  if (list.rows === undefined)
    return list.error ? (
      <ErrorPanel error={list.error} onRetry={list.refetch} />
    ) : (
      <Paper>
        <RowsSkeleton />
      </Paper>
    );
  if (list.rows.length === 0 && empty) return <Paper>{empty}</Paper>;
  return <Rows {...props} list={list} rows={list.rows} />;
}

type RowsProps<T> = Omit<Props<T>, 'empty'> & { rows: T[] };

function Rows<T>(props: RowsProps<T>) {
  const { label, region, list, rows, total, titles, rowClass = '', rowKey, renderRow, onVisibleRows } = props;
  const { error, more } = list;
  const frame = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- the virtualiser's functions are not passed on
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    getItemKey: (index) => (rows[index] === undefined ? index : rowKey(rows[index])),
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const needsMore = more && !more.loading && !error && last > rows.length - AHEAD;
  useEffect(() => {
    if (needsMore) more.load();
  }, [needsMore, more]);
  const first = items[0]?.index ?? 0;
  useEffect(() => onVisibleRows?.(rows.slice(first, last + 1)), [onVisibleRows, rows, first, last]);
  const known = total ?? (more ? -1 : rows.length);
  return (
    <>
      <Paper className={classes.frame} ref={frame} tabIndex={0} role="region" aria-label={region}>
        <div role="table" aria-label={label} aria-rowcount={known < 0 ? -1 : known + 1}>
          <div role="rowgroup" className={classes.head}>
            <div role="row" aria-rowindex={1} className={`${classes.row} ${rowClass}`}>
              {titles.map((title) => (
                <div role="columnheader" key={title}>
                  {title}
                </div>
              ))}
            </div>
          </div>
          <div role="rowgroup" className={classes.body} style={{ height: virtual.getTotalSize() }}>
            {items.map(({ index, start, key }) => {
              const row = rows[index];
              return (
                row !== undefined && (
                  <div
                    role="row"
                    aria-rowindex={index + 2}
                    key={String(key)}
                    data-index={index}
                    ref={virtual.measureElement}
                    className={`${classes.row} ${classes.floating} ${rowClass}`}
                    style={{ transform: `translateY(${start}px)` }}
                  >
                    {renderRow(row)}
                  </div>
                )
              );
            })}
          </div>
        </div>
      </Paper>
      {Boolean(error) && <ErrorPanel error={error} onRetry={more?.load ?? list.refetch} />}
      {more && (
        <Group justify="center" gap="sm">
          <Text c="dimmed">
            {rows.length.toLocaleString('en')} {total !== undefined && `of ${total.toLocaleString('en')} `}loaded
          </Text>
          <Button variant="default" loading={more.loading} onClick={more.load}>
            Load more
          </Button>
        </Group>
      )}
    </>
  );
}
