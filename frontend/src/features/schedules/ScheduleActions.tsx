import { useQuery } from '@tanstack/react-query';
import { IconPlayerPause, IconPlayerPlay, IconTrash, IconUserCheck } from '@tabler/icons-react';
import { Can } from '../../access/Can';
import { meQuery } from '../../api/queries/access/session';
import type { useTakeOverSchedule, useUpdateSchedule } from '../../api/queries/automation/schedules';
import type { Schedule } from '../../api/types';
import { HistoryLink } from '../../ui/page/HistoryLink';
import { ActionButton } from '../../ui/page/ActionButton';

interface Props {
  schedule: Schedule;
  update: ReturnType<typeof useUpdateSchedule>;
  takeOver: ReturnType<typeof useTakeOverSchedule>;
  onOpenDialog: (what: 'pause' | 'delete') => void;
}

export function ScheduleActions({ schedule, update, takeOver, onOpenDialog }: Props) {
  const { data: me } = useQuery(meQuery);
  const own = me?.id === schedule.owner?.id;
  return (
    <>
      <Can role="operator" environmentId={schedule.environmentId}>
        {schedule.enabled ? (
          <ActionButton icon={IconPlayerPause} onClick={() => onOpenDialog('pause')}>
            Pause
          </ActionButton>
        ) : (
          <ActionButton
            icon={IconPlayerPlay}
            variant="filled"
            loading={update.isPending}
            onClick={() => update.mutate({ schedule, body: { enabled: true } })}
          >
            Resume
          </ActionButton>
        )}
      </Can>
      {!own && (
        <ActionButton
          role="operator"
          environmentId={schedule.environmentId}
          icon={IconUserCheck}
          loading={takeOver.isPending}
          onClick={() => takeOver.mutate(schedule)}
        >
          Take over
        </ActionButton>
      )}
      <HistoryLink id={schedule.id} />
      <ActionButton
        role="operator"
        environmentId={schedule.environmentId}
        icon={IconTrash}
        onClick={() => onOpenDialog('delete')}
      >
        Delete
      </ActionButton>
    </>
  );
}
