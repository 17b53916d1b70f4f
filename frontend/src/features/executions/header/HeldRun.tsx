import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconClockPause, IconSnowflake } from '@tabler/icons-react';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import { useOverrideFreeze, useOverrideWindow } from '../../../api/queries/runs/steering';
import type { Execution } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { shortTime } from '../../../ui/format/format';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { DialogActions } from '../../../ui/forms/DialogActions';

/** A point in time as the API writes it. */
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

const FREEZE = {
  icon: IconSnowflake,
  title: 'Held by a freeze',
  inSpite: 'in spite of the freeze',
  others: 'The freeze goes on holding for all others.',
};
const WINDOW = {
  icon: IconClockPause,
  title: 'Waits for its run window',
  inSpite: 'outside of the run windows',
  others: 'All others go on waiting.',
};

const heldBy = ({ statusReason }: Execution) => (statusReason?.code === 'collection_frozen' ? FREEZE : WINDOW);

/** A run that was accepted and waits for the end of a freeze, or for run windows to open; admins may let it begin. */
export function HeldRun({ run }: { run: Execution }) {
  const [asking, setAsking] = useState(false);
  const { icon: Glyph, title } = heldBy(run);
  return (
    <Alert color="blue" mb="md" py={8} role="status" icon={<Glyph aria-hidden />} title={title}>
      <Group justify="space-between" gap="xs">
        <Text style={{ flex: '1 1 300px' }}>{run.statusReason?.text.replaceAll(INSTANT, shortTime)}</Text>
        <Can role="admin">
          <Button variant="default" onClick={() => setAsking(true)}>
            Let it begin
          </Button>
        </Can>
      </Group>
      {asking && <OverrideDialog run={run} onClose={() => setAsking(false)} />}
    </Alert>
  );
}

function OverrideDialog({ run, onClose }: { run: Execution; onClose: () => void }) {
  const held = heldBy(run);
  const freeze = useOverrideFreeze(run.id);
  const window = useOverrideWindow(run.id);
  const override = held === FREEZE ? freeze : window;
  const [reason, setReason] = useState('');
  return (
    <FormModal opened onClose={onClose} title={`Let it begin ${held.inSpite}?`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (reason.trim() !== '') override.mutate(reason.trim(), { onSuccess: onClose });
        }}
      >
        <Stack gap="sm">
          <Text>The run begins as soon as a worker takes it. {held.others}</Text>
          <Textarea
            label={`Why ${held.inSpite}`}
            description="Shown on the run and in the audit trail."
            withAsterisk
            required
            autosize
            minRows={1}
            maxRows={4}
            maxLength={500}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            data-autofocus
          />
          {override.error && <ErrorPanel error={override.error} />}
          <DialogActions onClose={onClose} pending={override.isPending}>
            Let it begin
          </DialogActions>
        </Stack>
      </form>
    </FormModal>
  );
}
