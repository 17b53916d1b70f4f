import { Button, Group, Paper, Text } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { ErrorPanel } from '../feedback/ErrorPanel';
import { RowsSkeleton } from '../feedback/Skeletons';
import type { ListState } from './DataTable';
import { VirtualRows } from './VirtualRows';
import classes from './virtual-table.module.css';

type RowsProps<T> = ComponentProps<typeof VirtualRows<T>>;

interface Props<T>
  extends Pick<RowsProps<T>, 'rowKey' | 'renderRow' | 'onVisibleRows' | 'restoreKey' | 'scroller' | 'body'> {
  label: string;
  region: string;
  list: ListState<T>;
  /** Total number of rows, including those not loaded; undefined = unknown. */
  total?: number;
  columns: readonly { key: string; title: ReactNode; className?: string }[];
  /** Estimated height of a row. */
  rowPx?: number;
  frameClass?: string;
  /** CSS class with the column widths. */
  rowClass?: string;
  /** CSS class of a row in a special state. */
  stateClass?: (row: T) => string | undefined;
  empty?: ReactNode;
  /** Replaces the count and the button below the table. */
  footer?: ReactNode;
}

/** Long list in one of four states. Renders only visible rows. `renderRow` returns cells with `role="cell"`. */
export function VirtualTable<T>(props: Props<T>) {
  const { list, empty, label, region, total, columns, rowPx = 37, frameClass = '', rowClass = '', ...rows } = props;
  const { stateClass, footer, ...rest } = rows;
  if (list.rows === undefined)
    return list.error ? (
      <ErrorPanel error={list.error} onRetry={list.refetch} />
    ) : (
      <Paper>
        <RowsSkeleton />
      </Paper>
    );
  if (list.rows.length === 0 && empty) return <Paper>{empty}</Paper>;
  const { error, more } = list;
  const known = total ?? (more ? -1 : list.rows.length);
  return (
    <>
      <VirtualRows
        {...rest}
        rows={list.rows}
        more={error ? null : more}
        rowPx={rowPx}
        frame={{ className: `${classes.frame} ${frameClass}`, tabIndex: 0, role: 'region', 'aria-label': region }}
        table={{ role: 'table', 'aria-label': label, 'aria-rowcount': known < 0 ? -1 : known + 1 }}
        headClass={classes.titles}
        head={
          <div role="row" aria-rowindex={1} className={`${classes.row} ${rowClass}`}>
            {columns.map(({ key, title, className }) => (
              <div role="columnheader" key={key} className={className}>
                {title}
              </div>
            ))}
          </div>
        }
        rowClass={(row) => `${classes.row} ${rowClass} ${stateClass?.(row) ?? ''}`}
      />
      {footer ?? <Rest list={list} loaded={list.rows.length} total={total} />}
    </>
  );
}

interface RestProps {
  list: Pick<ListState<unknown>, 'error' | 'more' | 'refetch'>;
  loaded: number;
  total: number | undefined;
}

function Rest({ list: { error, more, refetch }, loaded, total }: RestProps) {
  return (
    <>
      {Boolean(error) && <ErrorPanel error={error} onRetry={more?.load ?? refetch} />}
      {more && (
        <Group justify="center" gap="sm">
          <Text c="dimmed">
            {loaded.toLocaleString('en')} {total !== undefined && `of ${total.toLocaleString('en')} `}loaded
          </Text>
          <Button variant="default" loading={more.loading} onClick={more.load}>
            Load more
          </Button>
        </Group>
      )}
    </>
  );
}
