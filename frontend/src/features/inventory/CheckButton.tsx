import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconPlugConnected } from '@tabler/icons-react';
import { Can } from '../../access/Can';
import { toProblem } from '../../api/errors';
import { useCheckServer } from '../../api/queries/servers';
import type { Server } from '../../api/types';
import { lookOfCheck } from '../../ui/status/statuses';
import { hostKeyState } from './host-key-state';

/** Tries the connection and tells what was found; a key that a person must look at opens for review. */
export function CheckButton({ server, onReview }: { server: Server; onReview: (id: string) => void }) {
  const check = useCheckServer();
  const run = () =>
    check.mutate(server.id, {
      onSuccess: (found) => {
        if (found.lastCheck) {
          const { state, message } = found.lastCheck;
          const color = { good: 'green', warn: 'yellow', bad: 'red' }[lookOfCheck(state).tone as 'good'] ?? 'gray';
          notifications.show({ color, title: `${found.name}: ${lookOfCheck(state).word}`, message });
        }
        if (['waiting', 'changed'].includes(hostKeyState(found))) onReview(found.id);
      },
      onError: (error) =>
        notifications.show({
          color: 'red',
          title: `${server.name} could not be checked`,
          message: toProblem(error).message,
        }),
    });
  return (
    <Can role="operator">
      <Button
        variant="default"
        aria-label={`Check ${server.name}`}
        loading={check.isPending}
        onClick={run}
        leftSection={<IconPlugConnected size={14} aria-hidden />}
      >
        Check
      </Button>
    </Can>
  );
}
