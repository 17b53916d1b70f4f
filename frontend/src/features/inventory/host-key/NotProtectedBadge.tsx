import { Badge, Tooltip } from '@mantine/core';
import type { Server } from '../../../api/types';

/** Says that runs of other environments may still reach the host of a server in a protected environment. */
export function NotProtectedBadge({ server }: { server: Pick<Server, 'protection'> }) {
  if (server.protection !== 'not_proved') return null;
  return (
    <Tooltip
      label="Runs of other environments may reach this host. Check the server and accept its host key, or have an approver confirm the host."
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
