import { Alert, Group, Text } from '@mantine/core';
import { IconPlayerPause } from '@tabler/icons-react';
import type { Schedule } from '../../../api/types';
import { FireBadge } from './FireBadge';

export function ScheduleNotices({ schedule }: { schedule: Schedule }) {
  const { paused, lastFire } = schedule;
  return (
    <>
      {paused && (
        <Alert color="yellow" py={8} icon={<IconPlayerPause aria-hidden />} title={toPauseTitle(paused)}>
          {paused.reason.text}
        </Alert>
      )}
      {lastFire && lastFire.outcome !== 'started' && lastFire.reason?.text !== paused?.reason.text && (
        <Alert color={lastFire.outcome === 'refused' ? 'red' : 'gray'} py={8}>
          <Group gap="xs" align="flex-start">
            <FireBadge outcome={lastFire.outcome} />
            <Text className="rw-wrap-anywhere" flex="1 1 300px">
              {lastFire.reason?.text}
            </Text>
          </Group>
        </Alert>
      )}
    </>
  );
}

function toPauseTitle({ by, reason }: NonNullable<Schedule['paused']>): string {
  if (by) return `Paused by ${by.name}`;
  return reason.code === 'person' ? 'Paused' : 'Paused by Runward';
}
