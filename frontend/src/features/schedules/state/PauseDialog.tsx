import { useUpdateSchedule } from '../../../api/queries/automation/schedules';
import type { ScheduleSummary } from '../../../api/types';
import { ReasonDialog } from '../../../ui/dialogs/ReasonDialog';

export function PauseDialog({ schedule, onClose }: { schedule: ScheduleSummary; onClose: () => void }) {
  const update = useUpdateSchedule();
  const pause = (reason: string) => {
    const body = { enabled: false, ...(reason === '' ? {} : { pausedReason: reason }) };
    update.mutate({ schedule, body }, { onSuccess: onClose });
  };
  return (
    <ReasonDialog
      title={`Pause ${schedule.name}?`}
      description="Shown to members who find the schedule paused."
      required={false}
      confirm="Pause"
      pending={update.isPending}
      error={update.error}
      onSubmit={pause}
      onClose={onClose}
    >
      The schedule starts no runs until you resume it. Occurrences missed while paused are not run later.
    </ReasonDialog>
  );
}
