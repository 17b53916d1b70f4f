import { Stack, Text } from '@mantine/core';
import type { Server } from '../../../api/types';
import { duration, exactTime, relativeTime } from '../../../ui/format/format';
import { useNow } from '../../../ui/format/useNow';
import { CheckBadge } from '../../../ui/status/StatusBadge';

/**
 * Shows state, age of the state, and connection time. Uses `title`, because tooltips would dominate the rendering time
 * of rows.
 */
export function CheckCell({ server }: { server: Server }) {
  const { lastCheck, state, stateSince, checkedAt, latencyMs } = server;
  if (!lastCheck) return <Text c="dimmed">Never checked</Text>;
  return (
    <Stack gap={0} align="flex-start">
      <span title={lastCheck.reason.text}>
        <CheckBadge state={state} />
      </span>
      <Text size="xs" c="dimmed">
        since <Ago at={stateSince} />
        {latencyMs !== null && (
          <span title="Time to open the TCP connection at the last login"> · {duration(latencyMs)}</span>
        )}
      </Text>
      {checkedAt !== stateSince && (
        <Text size="xs" c="dimmed">
          checked <Ago at={checkedAt} />
        </Text>
      )}
    </Stack>
  );
}

function Ago({ at }: { at: string | null }) {
  const now = useNow();
  return (
    at !== null && (
      <time dateTime={at} title={exactTime(at)}>
        {relativeTime(at, now)}
      </time>
    )
  );
}
