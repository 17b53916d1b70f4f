import { Alert, Group, Text } from '@mantine/core';
import { IconPlayerPause } from '@tabler/icons-react';
import type { Schedule } from '../../../api/types';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { AnchorLink } from '../../../ui/page/links';
import { statusStyle } from '../../../ui/status/statuses';
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
            <FireBadge {...lastFire} />
            <Text className="rw-wrap-anywhere" flex="1 1 300px">
              {lastFire.reason?.text}
            </Text>
          </Group>
        </Alert>
      )}
      {lastFire?.executionId && lastFire.executionStatus && statusStyle(lastFire.executionStatus).tone === 'bad' && (
        <Alert color="red" py={8}>
          <Group gap="xs">
            <FireBadge {...lastFire} />
            <Text>
              The latest run of this schedule did not succeed (<RelativeTime at={lastFire.at} />
              ).
            </Text>
            <AnchorLink to="/executions/$id" params={{ id: lastFire.executionId }}>
              Open run
            </AnchorLink>
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
