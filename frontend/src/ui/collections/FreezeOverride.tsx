import { Alert, Stack, Text } from '@mantine/core';
import { IconSnowflake } from '@tabler/icons-react';
import { useAccess } from '../../access/useAccess';
import type { ActiveFreeze } from '../../api/types';
import { shortTime } from '../format/format';
import { StartOverride } from '../forms/StartOverride';
import { type Override, reasonText } from './freeze';

interface Props {
  freeze: ActiveFreeze;
  override: Override;
  onChange: (override: Override) => void;
}

/** Effect of a freeze on a start, with a field for the override of admins. */
export function FreezeOverride({ freeze: { collectionName, reason, until }, override, onChange }: Props) {
  const admin = useAccess().can('admin');
  return (
    <Alert color="blue" icon={<IconSnowflake aria-hidden />} title={`Frozen until ${shortTime(until)}`}>
      <Stack gap="xs">
        <Text>
          The collection {collectionName} is frozen: {reasonText(reason)} Until then, only dry runs can start
          {admin ? '.' : ', unless an admin overrides the freeze.'}
        </Text>
        {admin && <StartOverride label="Start despite the freeze" override={override} onChange={onChange} />}
      </Stack>
    </Alert>
  );
}
