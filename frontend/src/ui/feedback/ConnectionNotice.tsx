import { Group, Loader, Paper, Text } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { isConnectionLost, noteConnection, onConnection, probeConnection } from '../../api/connection';
import classes from './connection-notice.module.css';

const RETRY_MS = 3_000;

/** Notice over the page while the server does not respond. Then repeats the requests that failed. */
export function ConnectionNotice() {
  const lost = useSyncExternalStore(onConnection, isConnectionLost);
  const client = useQueryClient();
  useWindowEvent('offline', () => {
    noteConnection(false);
    // A response that was already on its way would end the notice.
    window.setTimeout(() => void probeConnection(), RETRY_MS);
  });
  useEffect(() => {
    if (!lost) return;
    const timer = window.setInterval(() => void probeConnection(), RETRY_MS);
    return () => {
      window.clearInterval(timer);
      void client.invalidateQueries({ predicate: ({ state }) => state.status === 'error' });
    };
  }, [lost, client]);
  return (
    <div role="status">
      {lost && (
        <Paper className={classes.notice} px="md" py="xs">
          <Group gap="xs" wrap="nowrap">
            <Loader size={14} aria-hidden />
            <Text fw={550}>No connection to the server. Retrying…</Text>
          </Group>
        </Paper>
      )}
    </div>
  );
}
