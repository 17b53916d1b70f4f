import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconPlugConnected } from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import { toProblem } from '../../../api/errors';
import { useCheckServer } from '../../../api/queries/servers';
import type { Server } from '../../../api/types';
import { checkStyle } from '../../../ui/status/statuses';
import { hostKeyState } from '../host-key/host-key-state';

interface Props {
  server: Server;
  /** Why the member can not check it although the role suffices; null: nothing. */
  unless?: string | null;
  onReview: (id: string) => void;
}

/** Checks the connection and shows the result; opens a new or changed host key for review. */
export function CheckButton({ server, unless, onReview }: Props) {
  const check = useCheckServer();
  const run = () =>
    check.mutate(server.id, {
      onSuccess: (found) => {
        if (found.lastCheck) {
          const { state, message } = found.lastCheck;
          const color = { good: 'green', warn: 'yellow', bad: 'red' }[checkStyle(state).tone as 'good'] ?? 'gray';
          notifications.show({ color, title: `${found.name}: ${checkStyle(state).label}`, message });
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
    <Can role="operator" unless={unless}>
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
