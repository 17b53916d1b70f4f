import { Alert, Stack, Text } from '@mantine/core';
import { IconClockPause } from '@tabler/icons-react';
import { useAccess } from '../../access/useAccess';
import type { RunWindowState } from '../../api/types';
import { StartOverride } from '../forms/StartOverride';
import { windowText } from './run-window';

interface Props {
  closed: RunWindowState;
  /** Reason as typed; null = no override. */
  override: string | null;
  onChange: (override: string | null) => void;
}

/** Effect of closed run windows on a start, with a field for the override of admins. */
export function WindowOverride({ closed, override, onChange }: Props) {
  const admin = useAccess().can('admin');
  return (
    <Alert color="blue" icon={<IconClockPause aria-hidden />} title={windowText(closed)}>
      <Stack gap="xs">
        <Text>Until then, only dry runs can start{admin ? '.' : ', unless an admin overrides the run windows.'}</Text>
        {admin && <StartOverride label="Start outside the run windows" override={override} onChange={onChange} />}
      </Stack>
    </Alert>
  );
}
