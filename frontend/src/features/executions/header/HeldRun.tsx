import { Alert, Button, Group, Text } from '@mantine/core';
import { IconClockPause, IconSnowflake } from '@tabler/icons-react';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import { useOverrideFreeze, useOverrideWindow } from '../../../api/queries/runs/steering';
import type { Execution } from '../../../api/types';
import { useRunObstacle } from '../run/useRunObstacle';
import { shortTime } from '../../../ui/format/format';
import { ReasonDialog } from '../../../ui/dialogs/ReasonDialog';

const TIMESTAMP_PATTERN = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

const FREEZE = {
  icon: IconSnowflake,
  title: 'Held by a freeze',
  question: 'Start this run despite the freeze?',
  others: 'The freeze still applies to other runs.',
};
const WINDOW = {
  icon: IconClockPause,
  title: 'Waiting for the run window',
  question: 'Start this run outside the run windows?',
  others: 'Other runs continue to wait.',
};

const holdTextsOf = ({ statusReason }: Execution) => (statusReason?.code === 'collection_frozen' ? FREEZE : WINDOW);

/** An accepted run that waits for the end of a freeze or for a run window. Admins can start it now. */
export function HeldRun({ run }: { run: Execution }) {
  const [dialogOpen, setDialogOpen] = useState(false);
  const obstacle = useRunObstacle(run, 'administer');
  const { icon: Glyph, title } = holdTextsOf(run);
  return (
    <Alert color="blue" mb="md" py={8} role="status" icon={<Glyph aria-hidden />} title={title}>
      <Group justify="space-between" gap="xs">
        <Text flex="1 1 300px">
          {run.statusReason?.text.replaceAll(TIMESTAMP_PATTERN, shortTime)}
          {obstacle && ` To start now: ${obstacle}`}
        </Text>
        <Can role="viewer" unless={obstacle}>
          <Button variant="default" onClick={() => setDialogOpen(true)}>
            Start now…
          </Button>
        </Can>
      </Group>
      {dialogOpen && <OverrideDialog run={run} onClose={() => setDialogOpen(false)} />}
    </Alert>
  );
}

function OverrideDialog({ run, onClose }: { run: Execution; onClose: () => void }) {
  const held = holdTextsOf(run);
  const freeze = useOverrideFreeze(run.id);
  const window = useOverrideWindow(run.id);
  const override = held === FREEZE ? freeze : window;
  return (
    <ReasonDialog
      title={held.question}
      confirm="Start now"
      pending={override.isPending}
      error={override.error}
      onSubmit={(reason) => override.mutate(reason, { onSuccess: onClose })}
      onClose={onClose}
    >
      The run starts when a worker is available. {held.others}
    </ReasonDialog>
  );
}
