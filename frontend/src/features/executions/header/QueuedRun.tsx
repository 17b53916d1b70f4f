import { Alert, Stack, Text } from '@mantine/core';
import { IconClock, IconStack2 } from '@tabler/icons-react';
import type { Execution } from '../../../api/types';
import { exactTime, shortTime } from '../../../ui/format/format';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { ConflictList } from '../conflicts/ConflictList';

type Queue = NonNullable<Execution['queue']>;

/** What a run waits for that begins by itself, who is in its way, and until when. */
export function QueuedRun({ queue }: { queue: Queue }) {
  const ends = queue.expiresAt && `It ends as expired if it has not begun by ${shortTime(queue.expiresAt)}.`;
  if (queue.reason === 'start_time') {
    return (
      <Alert color="blue" mb="md" py={8} role="status" icon={<IconClock aria-hidden />} title="Starts later">
        <Text>
          It begins {queue.startAt && exactTime(queue.startAt)}, <RelativeTime at={queue.startAt} />, by itself. Until
          then it holds no host. {ends}
        </Text>
      </Alert>
    );
  }
  const nobody = queue.blockers.length + queue.hiddenBlockers === 0;
  return (
    <Alert
      color="blue"
      mb="md"
      py={8}
      role="status"
      icon={<IconStack2 aria-hidden />}
      title={`In the queue, place ${queue.position ?? 1}`}
    >
      <Stack gap={6}>
        <Text>
          Waits since <RelativeTime at={queue.since} /> and begins by itself at its turn. {ends}
        </Text>
        {nobody ? (
          <Text>Nobody is in the way any more: it begins in a moment.</Text>
        ) : (
          <ConflictList conflicts={queue.blockers} hidden={queue.hiddenBlockers} />
        )}
      </Stack>
    </Alert>
  );
}
