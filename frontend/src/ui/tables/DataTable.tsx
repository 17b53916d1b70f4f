import { Button, Group, Paper, Table, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorPanel } from '../feedback/ErrorPanel';
import { RowsSkeleton } from '../feedback/Skeletons';

export interface Column<T> {
  key: string;
  title: ReactNode;
  render: (row: T) => ReactNode;
  width?: number | string;
  /** Breakpoint below which the column is hidden. */
  from?: 'xs' | 'sm' | 'md' | 'lg';
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

/** List in one of four states: loading, empty, failed, rows. */
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
          <Table aria-label={label} highlightOnHover verticalSpacing={7} horizontalSpacing="md">
            <Table.Thead>
              <Table.Tr>
                {columns.map((column) => (
                  <Table.Th key={column.key} w={column.width} visibleFrom={column.from} ta={column.align}>
                    {column.title || <VisuallyHidden>Actions</VisuallyHidden>}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {list.rows.map((row) => (
                <Table.Tr key={rowKey(row)} {...rowProps?.(row)}>
                  {columns.map((column) => (
                    <Table.Td key={column.key} visibleFrom={column.from} ta={column.align}>
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
