import { Button, Group, Paper, Table, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorPanel } from '../feedback/ErrorPanel';
import { RowsSkeleton } from '../feedback/Skeletons';
import classes from './data-table.module.css';

export interface Column<T> {
  key: string;
  title: ReactNode;
  render: (row: T) => ReactNode;
  width?: number | string;
  /** Breakpoint below which the column is hidden. */
  from?: 'xs' | 'sm' | 'md' | 'lg';
  /** Whether the cards of narrow screens show the value, although `from` hides the column there. */
  inCard?: boolean;
  align?: 'right';
}

export interface ListState<T> {
  rows: T[] | undefined;
  error: unknown;
  refetch: () => void;
  more?: { load: () => void; loading: boolean } | null;
}

interface Props<T> {
  label: string;
  list: ListState<T>;
  columns: Column<T>[];
  rowKey: (row: T) => string;
  empty: ReactNode;
  rowProps?: (row: T) => Record<string, string>;
}

/** List in one of four states: loading, empty, failed, rows. Narrow screens show each row as a card. */
export function DataTable<T>({ label, list, columns, rowKey, empty, rowProps }: Props<T>) {
  if (list.rows === undefined) {
    return list.error ? (
      <ErrorPanel error={list.error} onRetry={list.refetch} />
    ) : (
      <Paper>
        <RowsSkeleton />
      </Paper>
    );
  }
  if (list.rows.length === 0) return <Paper>{empty}</Paper>;
  return (
    <>
      {list.error !== null && list.error !== undefined && <ErrorPanel error={list.error} onRetry={list.refetch} />}
      <Paper className="rw-clip">
        <Table.ScrollContainer minWidth={0} type="native">
          <Table
            role="table"
            aria-label={label}
            highlightOnHover
            verticalSpacing="var(--rw-row-space)"
            horizontalSpacing="md"
            className={classes.table}
          >
            <Table.Thead role="rowgroup">
              <Table.Tr role="row">
                {columns.map((column) => (
                  <Table.Th
                    role="columnheader"
                    key={column.key}
                    w={column.width}
                    visibleFrom={column.from}
                    ta={column.align}
                  >
                    {column.title || <VisuallyHidden>Actions</VisuallyHidden>}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody role="rowgroup">
              {list.rows.map((row) => (
                <Table.Tr role="row" key={rowKey(row)} {...rowProps?.(row)}>
                  {columns.map((column) => (
                    <Table.Td
                      role="cell"
                      key={column.key}
                      visibleFrom={column.inCard ? undefined : column.from}
                      ta={column.align}
                      className={cellClass(column, columns)}
                      data-label={column === mainOf(columns) ? undefined : column.title || undefined}
                    >
                      {column.render(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
      {list.more && (
        <Group justify="center" mt="md">
          <Button variant="default" loading={list.more.loading} onClick={list.more.load}>
            Load more
          </Button>
        </Group>
      )}
    </>
  );
}

/** Column that names the row: the first one that every screen shows. */
const mainOf = <T,>(columns: readonly Column<T>[]): Column<T> | undefined =>
  columns.find(({ from, title }) => from === undefined && title !== '');

function cellClass<T>(column: Column<T>, columns: readonly Column<T>[]): string | undefined {
  if (column === mainOf(columns)) return classes.main;
  return column.inCard ? classes[`from-${column.from ?? 'xs'}`] : undefined;
}
