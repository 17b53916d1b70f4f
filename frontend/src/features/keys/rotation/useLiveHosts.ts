import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import {
  refreshHosts,
  type RotationHostFilter,
  rotationHostsQuery,
} from '../../../api/queries/inventory/key-rotations';
import type { RotationHost } from '../../../api/types';
import type { ListState } from '../../../ui/tables/DataTable';
import { listState } from '../../../ui/tables/list-state';

/**
 * Returns the hosts of a rotation. Visible ones are refetched whenever the rotation is.
 * @param updatedAt time of the rotation's last fetch, which triggers a fetch of the visible hosts
 */
export function useLiveHosts(id: string, filter: RotationHostFilter, open: boolean, updatedAt: number) {
  const client = useQueryClient();
  const visibleIds = useRef<ReadonlySet<string>>(new Set());
  const query = useInfiniteQuery(rotationHostsQuery(id, filter));
  const { refetch } = query;
  const key = JSON.stringify(filter);
  const busy = useRef(false);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (busy.current || (!open && !wasOpen.current)) return;
    busy.current = true;
    wasOpen.current = open;
    // A failed fetch needs no message: the next fetch repeats it, and the rotation itself shows the connection error.
    const look = open ? refreshHosts(client, id, JSON.parse(key) as RotationHostFilter, visibleIds.current) : refetch();
    look
      .catch(() => undefined)
      .finally(() => {
        busy.current = false;
      });
  }, [client, id, key, open, updatedAt, refetch]);
  const onVisibleRows = useCallback((rows: readonly RotationHost[]) => {
    visibleIds.current = new Set(rows.map(({ serverId }) => serverId));
  }, []);
  const list: ListState<RotationHost> = listState(query);
  const { rows } = list;
  // A host that newly matches the filter is on two pages until both are refetched.
  const once = useMemo(() => rows && [...new Map(rows.map((row) => [row.serverId, row])).values()], [rows]);
  return { list: { ...list, rows: once }, onVisibleRows };
}
