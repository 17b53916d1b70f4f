import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconSnowflake } from '@tabler/icons-react';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import { useOverrideFreeze } from '../../../api/queries/steering';
import type { Execution } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { shortTime } from '../../../ui/format/format';
import { FormModal } from '../../../ui/forms/FormOverlay';
import { DialogActions } from '../../../ui/forms/DialogActions';

/** A point in time as the API writes it. */
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** A run that was accepted and waits for the end of a freeze; admins may let it begin. */
export function HeldByFreeze({ run }: { run: Execution }) {
  const [asking, setAsking] = useState(false);
  return (
    <Alert color="blue" mb="md" py={8} role="status" icon={<IconSnowflake aria-hidden />} title="Held by a freeze">
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
  const override = useOverrideFreeze(run.id);
  const [reason, setReason] = useState('');
  return (
    <FormModal opened onClose={onClose} title="Let it begin in spite of the freeze?">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (reason.trim() !== '') override.mutate(reason.trim(), { onSuccess: onClose });
        }}
      >
        <Stack gap="sm">
          <Text>The run begins as soon as a worker takes it. The freeze goes on holding for all others.</Text>
          <Textarea
            label="Why in spite of the freeze"
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
