import { Alert, Stack, Text } from '@mantine/core';
import { IconClock, IconStack2 } from '@tabler/icons-react';
import type { RunQueue } from '../../../api/types';
import { exactTime, shortTime } from '../../../ui/format/format';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { ConflictList } from '../conflicts/ConflictList';

export function QueuedRun({ queue }: { queue: RunQueue }) {
  const ends = queue.expiresAt && `The run expires if it has not started by ${shortTime(queue.expiresAt)}.`;
  if (queue.waitsFor === 'start_time') {
    return (
      <Alert color="blue" mb="md" py={8} role="status" icon={<IconClock aria-hidden />} title="Starts later">
        <Text>
          The run starts automatically at {queue.startAt && exactTime(queue.startAt)},{' '}
          <RelativeTime at={queue.startAt} />. Until then it reserves no host. {ends}
        </Text>
      </Alert>
    );
  }
  const hasNoBlockers = queue.blockers.length + queue.hiddenBlockers === 0;
  return (
    <Alert
      color="blue"
      mb="md"
      py={8}
      role="status"
      icon={<IconStack2 aria-hidden />}
      title={`In the queue, position ${queue.position ?? 1}`}
    >
      <Stack gap={6}>
        <Text>
          Waiting since <RelativeTime at={queue.since} />. The run starts automatically. {ends}
        </Text>
        {hasNoBlockers ? (
          <Text>No conflicting runs. Starting shortly.</Text>
        ) : (
          <ConflictList conflicts={queue.blockers} hidden={queue.hiddenBlockers} />
        )}
      </Stack>
    </Alert>
  );
}
