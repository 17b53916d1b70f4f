import { Group, Stack, Text, Tooltip } from '@mantine/core';
import type { Server } from '../../api/types';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { CheckBadge } from '../../ui/status/StatusBadge';

export function CheckCell({ server: { lastCheck } }: { server: Server }) {
  if (!lastCheck) return <Text c="dimmed">Never checked</Text>;
  return (
    <Stack gap={0} align="flex-start">
      <Tooltip label={lastCheck.message} maw={420}>
        <span>
          <CheckBadge state={lastCheck.state} />
        </span>
      </Tooltip>
      <Group gap={4}>
        <Text size="xs" c="dimmed" component="span">
          <RelativeTime at={lastCheck.at} />
        </Text>
      </Group>
    </Stack>
  );
}
