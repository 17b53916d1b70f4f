import { Button, Group, Paper, Text } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { ImportEntry } from '../../../../api/types';
import { ErrorPanel } from '../../../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../../../ui/feedback/Skeletons';
import type { ListState } from '../../../../ui/tables/DataTable';
import classes from './entries.module.css';
import { EntryRow } from './EntryRow';

const ROW_PX = 37;
/** So many rows before the end of what is there, more is asked for. */
const AHEAD = 40;

interface Props {
  list: ListState<ImportEntry>;
  /** How many there are, also of those that are not loaded. */
  total: number;
  environmentName: (id: string) => string;
}

/** The servers of an import. Only those in sight are drawn, so ten thousand cost as much as thirty. */
export function EntryTable({ list, total, environmentName }: Props) {
  const { rows = [], error, more } = list;
  const frame = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- the virtualiser's own functions are not handed on
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const wanted = more && !more.loading && !error && last > rows.length - AHEAD;
  useEffect(() => {
    if (wanted) more.load();
  }, [wanted, more]);

  if (list.rows === undefined)
    return error ? (
      <ErrorPanel error={error} onRetry={list.refetch} />
    ) : (
      <Paper>
        <RowsSkeleton />
      </Paper>
    );
  return (
    <>
      <Paper className={classes.frame} ref={frame} tabIndex={0} role="region" aria-label="Servers of the import">
        <div role="table" aria-label="What is done with each server" aria-rowcount={total + 1}>
          <div role="rowgroup" className={classes.head}>
            <div role="row" aria-rowindex={1} className={classes.row}>
              {['Line', 'Name', 'What', 'Changes'].map((title) => (
                <div role="columnheader" key={title}>
                  {title}
                </div>
              ))}
            </div>
          </div>
          <div role="rowgroup" className={classes.body} style={{ height: virtual.getTotalSize() }}>
            {items.map(({ index, start }) => {
              const entry = rows[index];
              return (
                entry && (
                  <div
                    role="row"
                    aria-rowindex={index + 2}
                    key={index}
                    data-index={index}
                    ref={virtual.measureElement}
                    className={`${classes.row} ${classes.floating}`}
                    style={{ transform: `translateY(${start}px)` }}
                  >
                    <EntryRow entry={entry} environmentName={environmentName} />
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
            {rows.length.toLocaleString('en')} of {total.toLocaleString('en')} loaded
          </Text>
          <Button variant="default" loading={more.loading} onClick={more.load}>
            Load more
          </Button>
        </Group>
      )}
    </>
  );
}
