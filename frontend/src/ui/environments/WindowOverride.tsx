import { Alert, Checkbox, Stack, Text, Textarea } from '@mantine/core';
import { IconClockPause } from '@tabler/icons-react';
import { useAccess } from '../../access/useAccess';
import type { RunWindowState } from '../../api/types';
import { windowText } from './run-window';

interface Props {
  closed: RunWindowState;
  /** Why it starts all the same, as typed; null: it waits. */
  override: string | null;
  onChange: (override: string | null) => void;
}

/** What closed run windows mean for a start, and the way out of it that admins have. */
export function WindowOverride({ closed, override, onChange }: Props) {
  const admin = useAccess().can('admin');
  return (
    <Alert color="blue" icon={<IconClockPause aria-hidden />} title={windowText(closed)}>
      <Stack gap="xs">
        <Text>Until then only dry runs start{admin ? '.' : ', unless an admin starts it in spite of that.'}</Text>
        {admin && (
          <Checkbox
            label="Start outside of the run windows"
            checked={override !== null}
            onChange={(event) => onChange(event.currentTarget.checked ? '' : null)}
          />
        )}
        {admin && override !== null && (
          <Textarea
            label="Why outside of the run windows"
            description="Shown on the run and in the audit trail."
            withAsterisk
            autosize
            minRows={1}
            maxRows={4}
            maxLength={500}
            value={override}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
        )}
      </Stack>
    </Alert>
  );
}
