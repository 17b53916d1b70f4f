import { Alert, Stack, Text } from '@mantine/core';
import { IconLock, IconShieldCheck } from '@tabler/icons-react';
import type { Forecast } from '../../../api/types';
import { ConflictList } from '../conflicts/ConflictList';

/** Whether a real run could start at this moment. */
export function ForecastNote({ forecast }: { forecast: Forecast }) {
  const { approvalRequired, conflicts, hiddenConflicts } = forecast;
  const blocked = conflicts.length + hiddenConflicts > 0;
  return (
    <Stack gap="xs">
      {approvalRequired && (
        <Alert color="yellow" py={8} icon={<IconShieldCheck aria-hidden />}>
          The environment is protected: a real run would wait for approval first.
        </Alert>
      )}
      {blocked && (
        <Alert color="yellow" py={8} icon={<IconLock aria-hidden />} title="A real run would be refused at this moment">
          <ConflictList conflicts={conflicts} hidden={hiddenConflicts} />
        </Alert>
      )}
      {!blocked && !approvalRequired && (
        <Text c="dimmed">A real run would start at once: nothing is in its way at this moment.</Text>
      )}
    </Stack>
  );
}
