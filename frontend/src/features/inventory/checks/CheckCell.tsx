import { Stack, Text, Tooltip } from '@mantine/core';
import type { Server } from '../../../api/types';
import { duration } from '../../../ui/format/format';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { CheckBadge } from '../../../ui/status/StatusBadge';

/** What is known of the way to a server, since when, and how long the way is. */
export function CheckCell({ server }: { server: Server }) {
  const { lastCheck, state, stateSince, checkedAt, latencyMs } = server;
  if (!lastCheck) return <Text c="dimmed">Never checked</Text>;
  return (
    <Stack gap={0} align="flex-start">
      <Tooltip label={lastCheck.message} maw={420}>
        <span>
          <CheckBadge state={state} />
        </span>
      </Tooltip>
      <Text size="xs" c="dimmed">
        since <RelativeTime at={stateSince} />
        {latencyMs !== null && (
          <Tooltip label="How long the TCP connection took at the last sign-in">
            <span> · {duration(latencyMs)}</span>
          </Tooltip>
        )}
      </Text>
      {checkedAt !== stateSince && (
        <Text size="xs" c="dimmed">
          checked <RelativeTime at={checkedAt} />
        </Text>
      )}
    </Stack>
  );
}
