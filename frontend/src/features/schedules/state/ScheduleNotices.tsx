import { Alert, Group, Text } from '@mantine/core';
import { IconPlayerPause } from '@tabler/icons-react';
import type { Schedule } from '../../../api/types';
import { FireBadge } from './FireBadge';

export function ScheduleNotices({ schedule }: { schedule: Schedule }) {
  const { enabled, pausedReason, pausedByName, lastFire } = schedule;
  return (
    <>
      {!enabled && (
        <Alert
          color="yellow"
          py={8}
          icon={<IconPlayerPause aria-hidden />}
          title={`Paused by ${pausedByName ?? 'a removed member'}`}
        >
          {pausedReason ?? 'No reason given.'}
        </Alert>
      )}
      {lastFire && lastFire.outcome !== 'started' && lastFire.reason !== pausedReason && (
        <Alert color={lastFire.outcome === 'refused' ? 'red' : 'gray'} py={8}>
          <Group gap="xs" align="flex-start">
            <FireBadge outcome={lastFire.outcome} />
            <Text className="rw-wrap-anywhere" flex="1 1 300px">
              {lastFire.reason}
            </Text>
          </Group>
        </Alert>
      )}
    </>
  );
}
