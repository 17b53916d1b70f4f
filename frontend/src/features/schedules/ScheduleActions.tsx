import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconPlayerPause, IconPlayerPlay, IconTrash, IconUserCheck } from '@tabler/icons-react';
import { Can } from '../../access/Can';
import { meQuery } from '../../api/queries/access/session';
import type { useTakeOverSchedule, useUpdateSchedule } from '../../api/queries/automation/schedules';
import type { Schedule } from '../../api/types';

interface Props {
  schedule: Schedule;
  update: ReturnType<typeof useUpdateSchedule>;
  takeOver: ReturnType<typeof useTakeOverSchedule>;
  onOpenDialog: (what: 'pause' | 'delete') => void;
}

export function ScheduleActions({ schedule, update, takeOver, onOpenDialog }: Props) {
  const { data: me } = useQuery(meQuery);
  const own = me?.id === schedule.owner.id;
  return (
    <>
      <Can role="operator">
        {schedule.enabled ? (
          <Button
            variant="default"
            leftSection={<IconPlayerPause size={15} aria-hidden />}
            onClick={() => onOpenDialog('pause')}
          >
            Pause
          </Button>
        ) : (
          <Button
            leftSection={<IconPlayerPlay size={15} aria-hidden />}
            loading={update.isPending}
            onClick={() => update.mutate({ schedule, body: { enabled: true } })}
          >
            Resume
          </Button>
        )}
      </Can>
      {!own && (
        <Can role="operator">
          <Button
            variant="default"
            leftSection={<IconUserCheck size={15} aria-hidden />}
            loading={takeOver.isPending}
            onClick={() => takeOver.mutate(schedule)}
          >
            Take over
          </Button>
        </Can>
      )}
      <Can role="operator">
        <Button
          variant="default"
          leftSection={<IconTrash size={15} aria-hidden />}
          onClick={() => onOpenDialog('delete')}
        >
          Delete
        </Button>
      </Can>
    </>
  );
}
