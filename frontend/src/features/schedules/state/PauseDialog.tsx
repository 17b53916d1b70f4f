import { Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useUpdateSchedule } from '../../../api/queries/automation/schedules';
import type { ScheduleSummary } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { DialogActions } from '../../../ui/forms/DialogActions';
import { FormModal } from '../../../ui/forms/FormOverlay';

export function PauseDialog({ schedule, onClose }: { schedule: ScheduleSummary; onClose: () => void }) {
  const update = useUpdateSchedule();
  const [reason, setReason] = useState('');
  return (
    <FormModal opened onClose={onClose} title={`Pause ${schedule.name}?`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const said = reason.trim();
          const body = { enabled: false, ...(said === '' ? {} : { pausedReason: said }) };
          update.mutate({ schedule, body }, { onSuccess: onClose });
        }}
      >
        <Stack gap="sm">
          <Text>Nothing starts until somebody resumes it. Times that come meanwhile are not made up for.</Text>
          <Textarea
            label="Why"
            description="For whoever finds it paused."
            autosize
            minRows={1}
            maxRows={4}
            maxLength={500}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            data-autofocus
          />
          {update.error && <ErrorPanel error={update.error} />}
          <DialogActions onClose={onClose} pending={update.isPending}>
            Pause
          </DialogActions>
        </Stack>
      </form>
    </FormModal>
  );
}
