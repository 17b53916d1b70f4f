import { Button, Checkbox, Group, Text } from '@mantine/core';
import { type ReactNode, useMemo, useRef } from 'react';
import type { Server } from '../../../../api/types';
import { ErrorPanel } from '../../../../ui/feedback/ErrorPanel';
import { plural } from '../../../../ui/format/format';
import type { ListState } from '../../../../ui/tables/DataTable';
import type { RowScroller } from '../../../../ui/tables/VirtualRows';
import { VirtualTable } from '../../../../ui/tables/VirtualTable';
import { isSelected, type Selection, stateOf } from '../../bulk/selection';
import type { RowRequests } from './row-requests';
import { SERVER_COLUMNS } from './server-cells';
import classes from './server-table.module.css';
import { ServerRow } from './ServerRow';
import { useRowKeys } from './useRowKeys';

const ROW_PX = 58;

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

export function ServerTable({ filters, list, total, selection, onToggle, onToggleAll, requests, empty }: Props) {
  const { rows, error } = list;
  const loaded = rows?.length ?? 0;
  const more = error ? null : (list.more ?? null);
  const scroller = useRef<RowScroller>(null);
  const body = useRowKeys(loaded, (index) => scroller.current?.scrollToRow(index));
  const state = useMemo(() => stateOf(selection, rows ?? []), [selection, rows]);
  const columns = [
    { key: 'box', className: classes.box, title: <SelectAll state={state} onToggle={onToggleAll} /> },
    ...SERVER_COLUMNS.map(({ key, title }) => ({
      key,
      className: classes[key],
      title: key === 'actions' ? <span className={classes.hidden}>{title}</span> : title,
    })),
  ];
  return (
    <>
      {loaded > 0 && Boolean(error) && <ErrorPanel error={error} onRetry={list.more?.load ?? list.refetch} />}
      <VirtualTable
        label="Servers"
        region="List of servers"
        list={{ ...list, more }}
        total={total}
        columns={columns}
        rowPx={ROW_PX}
        frameClass={classes.frame}
        rowClass={classes.row}
        stateClass={({ id }) => (isSelected(selection, id) ? classes.selected : undefined)}
        rowKey={({ id }) => id}
        renderRow={(server) => (
          <ServerRow
            server={server}
            selected={isSelected(selection, server.id)}
            onToggle={onToggle}
            requests={requests}
          />
        )}
        restoreKey={`servers ${filters}`}
        scroller={scroller}
        body={body}
        empty={empty}
        footer={
          <Group justify="space-between" gap="sm" mt="xs">
            <Text size="xs" c="dimmed" role="status">
              {countText(loaded, total, more !== null)}
            </Text>
            {more && (
              <Button variant="default" loading={more.loading} onClick={more.load}>
                Load more
              </Button>
            )}
          </Group>
        }
      />
    </>
  );
}

function SelectAll({ state, onToggle }: { state: 'none' | 'some' | 'all'; onToggle: () => void }) {
  return (
    <Checkbox
      aria-label="Select all loaded servers"
      checked={state === 'all'}
      indeterminate={state === 'some'}
      onChange={onToggle}
    />
  );
}

/** Text with the number of loaded servers. At the limit of the list, it advises using filters. */
function countText(loaded: number, total: number | undefined, goesOn: boolean): string {
  if (total === undefined || total <= loaded)
    return goesOn ? `${plural(loaded, 'server')} loaded` : plural(loaded, 'server');
  const text = `${loaded.toLocaleString('en')} of ${plural(total, 'server')} loaded`;
  return goesOn ? text : `${text}; use filters to find the rest`;
}
