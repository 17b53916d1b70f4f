import { Alert, Checkbox, Stack, Text, Textarea } from '@mantine/core';
import { IconSnowflake } from '@tabler/icons-react';
import { useAccess } from '../../access/useAccess';
import type { ActiveFreeze } from '../../api/types';
import { shortTime } from '../format/format';
import { type Override, reasonText } from './freeze';

interface Props {
  freeze: ActiveFreeze;
  override: Override;
  onChange: (override: Override) => void;
}

/** What a freeze means for a start, and the way out of it that admins have. */
export function FreezeOverride({ freeze: { collectionName, reason, until }, override, onChange }: Props) {
  const admin = useAccess().can('admin');
  return (
    <Alert color="blue" icon={<IconSnowflake aria-hidden />} title={`Frozen until ${shortTime(until)}`}>
      <Stack gap="xs">
        <Text>
          The collection {collectionName} is frozen: {reasonText(reason)} Until then only dry runs start
          {admin ? '.' : ', unless an admin starts it in spite of that.'}
        </Text>
        {admin && (
          <Checkbox
            label="Start in spite of the freeze"
            checked={override !== null}
            onChange={(event) => onChange(event.currentTarget.checked ? '' : null)}
          />
        )}
        {admin && override !== null && (
          <Textarea
            label="Why in spite of the freeze"
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
