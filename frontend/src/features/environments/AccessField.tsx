import { Button, Group, Paper, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useUpdateEnvironment } from '../../api/queries/inventory/environments';
import type { Environment, EnvironmentAccess } from '../../api/types';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { optionsOf } from '../../ui/forms/options';
import { ACCESS_MEANINGS, ACCESS_NAMES } from './environment-labels';

export function AccessField({ environment }: { environment: Environment }) {
  const update = useUpdateEnvironment(environment.id);
  const [access, setAccess] = useState<EnvironmentAccess>(environment.access);
  const changed = access !== environment.access;
  return (
    <Paper p="md">
      <Stack gap="xs">
        <Group gap="md">
          <SegmentedControl
            aria-label="Access"
            data={optionsOf(ACCESS_NAMES)}
            value={access}
            onChange={(value) => setAccess(value)}
          />
          <Text flex="1 1 240px">{ACCESS_MEANINGS[access]}</Text>
          {changed && (
            <Button
              loading={update.isPending}
              onClick={() => update.mutate({ version: environment.version, body: { access } })}
            >
              {access === 'restricted' ? 'Restrict access' : 'Open access'}
            </Button>
          )}
        </Group>
        {update.error && <ErrorPanel error={update.error} />}
      </Stack>
    </Paper>
  );
}
