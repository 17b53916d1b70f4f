import { Badge, Tooltip } from '@mantine/core';
import type { Server } from '../../../api/types';

/** Marks a server in a protected environment whose host runs of other environments can reach. */
export function NotProtectedBadge({ server }: { server: Pick<Server, 'protection'> }) {
  if (server.protection !== 'not_proved') return null;
  return (
    <Tooltip
      label="Runs of other environments can reach this host. Check the server and accept its host key, or ask an approver to confirm the host."
      events={{ hover: true, focus: true, touch: true }}
      multiline
      w={280}
    >
      <Badge variant="light" color="yellow" tt="none" tabIndex={0}>
        Not protected yet
      </Badge>
    </Tooltip>
  );
}
