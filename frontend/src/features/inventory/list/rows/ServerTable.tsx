import { Button, Checkbox, Group, Paper, Text } from '@mantine/core';
import { defaultRangeExtractor, useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { Server } from '../../../../api/types';
import { ErrorPanel } from '../../../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../../../ui/feedback/Skeletons';
import { plural } from '../../../../ui/format/format';
import type { ListState } from '../../../../ui/tables/DataTable';
import { isSelected, type Selection, stateOf } from '../../bulk/selection';
import type { RowRequests } from './row-requests';
import { SERVER_COLUMNS } from './server-cells';
import classes from './server-table.module.css';
import { ServerRow } from './ServerRow';
import { useRowKeys } from './useRowKeys';

/** Scroll position and row heights, to restore the list when the user returns from a server. */
let left: { filters: string; offset: number; measured: VirtualItem[] } | null = null;
const ROW_PX = 58;
/** Number of rows before the end of the loaded rows at which the next page is requested. */
const AHEAD = 60;

interface Props {
  /** Filters as text, to detect a change. */
  filters: string;
  list: ListState<Server>;
  /** Number of matching servers, including servers that are not loaded; undefined: unknown. */
  total: number | undefined;
  selection: Selection;
  onToggle: (id: string, range: boolean) => void;
  onToggleAll: () => void;
  requests: RowRequests;
  empty: ReactNode;
}

/** Renders only visible rows. */
export function ServerTable({ list, ...props }: Props) {
  if (list.rows === undefined)
    return list.error ? (
      <ErrorPanel error={list.error} onRetry={list.refetch} />
    ) : (
      <Paper>
        <RowsSkeleton />
      </Paper>
    );
  if (list.rows.length === 0) return <Paper>{props.empty}</Paper>;
  return (
    <>
      {Boolean(list.error) && <ErrorPanel error={list.error} onRetry={list.more?.load ?? list.refetch} />}
      <Rows {...props} rows={list.rows} more={list.error ? null : (list.more ?? null)} />
    </>
  );
}

type RowsProps = Omit<Props, 'list' | 'empty'> & { rows: Server[]; more: ListState<Server>['more'] };

function Rows({ filters, rows, more, total, selection, onToggle, onToggleAll, requests }: RowsProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [back] = useState(() => (left?.filters === filters ? left : null));
  const [focused, setFocused] = useState<number | null>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- the virtualiser's functions are not passed on
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    getItemKey: (index) => rows[index]?.id ?? index,
    estimateSize: () => ROW_PX,
    initialOffset: back?.offset ?? 0,
    initialMeasurementsCache: back?.measured ?? [],
    overscan: 8,
    scrollPaddingStart: 40,
    // Keeps the focused row rendered. Otherwise scrolling the row away would lose the focus.
    rangeExtractor: (range) => {
      const indexes = defaultRangeExtractor(range);
      if (focused === null || focused >= rows.length || indexes.includes(focused)) return indexes;
      return [...indexes, focused].sort((one, other) => one - other);
    },
  });
  const items = virtual.getVirtualItems();
  const last = virtual.range?.endIndex ?? 0;
  useEffect(
    () => () => {
      left = { filters, offset: virtual.scrollOffset ?? 0, measured: virtual.measurementsCache };
    },
    [virtual, filters],
  );
  const needsMore = more && !more.loading && last > rows.length - AHEAD;
  useEffect(() => {
    if (needsMore) more.load();
  }, [needsMore, more]);
  const { body, onKeyDown } = useRowKeys(rows.length, (index) => virtual.scrollToIndex(index));
  const known = total ?? (more ? -1 : rows.length);
  const state = useMemo(() => stateOf(selection, rows), [selection, rows]);
  return (
    <>
      <Paper className={classes.frame} ref={frame} tabIndex={0} role="region" aria-label="List of servers">
        <div role="table" aria-label="Servers" aria-rowcount={known < 0 ? -1 : known + 1}>
          <div role="rowgroup" className={classes.head}>
            <div role="row" aria-rowindex={1} className={classes.row}>
              <div role="columnheader" className={classes.box}>
                <Checkbox
                  aria-label="Select all loaded servers"
                  checked={state === 'all'}
                  indeterminate={state === 'some'}
                  onChange={onToggleAll}
                />
              </div>
              {SERVER_COLUMNS.map(({ key, title }) => (
                <div role="columnheader" key={key} className={classes[key]}>
                  {key === 'actions' ? <span className={classes.hidden}>{title}</span> : title}
                </div>
              ))}
            </div>
          </div>
          <div
            role="rowgroup"
            ref={body}
            className={classes.body}
            style={{ height: virtual.getTotalSize() }}
            onKeyDown={onKeyDown}
            onBlur={() => setFocused(null)}
            onFocus={(event) => {
              const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
              setFocused(row ? Number(row.dataset.index) : null);
            }}
          >
            {items.map(({ index, start }) => {
              const server = rows[index];
              return (
                server && (
                  <ServerRow
                    key={server.id}
                    measure={virtual.measureElement}
                    index={index}
                    start={start}
                    server={server}
                    selected={isSelected(selection, server.id)}
                    onToggle={onToggle}
                    requests={requests}
                  />
                )
              );
            })}
          </div>
        </div>
      </Paper>
      <Group justify="space-between" gap="sm" mt="xs">
        <Text size="xs" c="dimmed" role="status">
          {countText(rows.length, total, more !== null)}
        </Text>
        {more && (
          <Button variant="default" loading={more.loading} onClick={more.load}>
            Load more
          </Button>
        )}
      </Group>
    </>
  );
}

/** Text with the number of loaded servers. At the limit of the list, it advises using filters. */
function countText(loaded: number, total: number | undefined, goesOn: boolean): string {
  if (total === undefined || total <= loaded)
    return goesOn ? `${plural(loaded, 'server')} loaded` : plural(loaded, 'server');
  const text = `${loaded.toLocaleString('en')} of ${plural(total, 'server')} loaded`;
  return goesOn ? text : `${text}; use filters to find the rest`;
}
