import { Alert, Group, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconAlertTriangle } from '@tabler/icons-react';
import { toProblem } from '../../../api/errors';
import { targetsPreviewQuery } from '../../../api/queries/plans/plans';
import { plural } from '../../../ui/format/format';

const NAMED = 12;
const MAX_NAMED_MACHINES = 5;

interface Props {
  planId: string;
  environmentId: string | null;
  targets: string;
}

export function TargetsBox({ planId, environmentId, targets }: Props) {
  const preview = useQuery(targetsPreviewQuery(planId, environmentId, targets));
  if (environmentId === null) return <Text c="dimmed">Choose an environment to see the hosts.</Text>;
  if (preview.error) {
    const { errors, message } = toProblem(preview.error);
    return <Text c="var(--mantine-color-error)">{errors[0]?.message ?? message}</Text>;
  }
  if (!preview.data) return <Loader size="xs" aria-label="Loading hosts" />;
  const { count, servers, sameMachineCount, sameMachines } = preview.data;
  const unpinned = servers.filter(({ hostKeyFingerprint }) => hostKeyFingerprint === null);
  const unreachedServers = servers.filter(
    ({ lastCheckState }) =>
      lastCheckState !== null &&
      !['reachable', 'host_key_unknown', 'host_key_accepted', 'no_commands'].includes(lastCheckState),
  );
  const withoutCommands = servers.filter(({ lastCheckState }) => lastCheckState === 'no_commands');
  return (
    <Stack gap={6} aria-live="polite">
      <Group gap={6} opacity={preview.isPlaceholderData ? 0.6 : 1}>
        <Text fw={600}>{count === 0 ? 'No matching hosts' : `Runs on ${plural(count, 'host')}`}</Text>
        <Text c="dimmed">
          {servers
            .slice(0, NAMED)
            .map(({ name }) => name)
            .join(', ')}
          {count > NAMED && ` and ${count - NAMED} more`}
        </Text>
      </Group>
      {sameMachineCount > 0 && (
        <Warning>
          Same machine under two names, detected by host key and login:{' '}
          {sameMachines
            .slice(0, MAX_NAMED_MACHINES)
            .map(({ name, sameAs }) => `${name} and ${sameAs}`)
            .join(', ')}
          {sameMachineCount > MAX_NAMED_MACHINES && ` and ${sameMachineCount - MAX_NAMED_MACHINES} more`}. A run uses
          each machine only once, so it would not start. Select one server of each pair, or delete or disable the other.
          If they are copies with the same key, an admin can mark the key as shared.
        </Warning>
      )}
      {unpinned.length > 0 && (
        <Warning>
          {plural(unpinned.length, 'host')} without an accepted host key. The run would fail there:{' '}
          {unpinned
            .slice(0, NAMED)
            .map(({ name }) => name)
            .join(', ')}
          .
        </Warning>
      )}
      {withoutCommands.length > 0 && (
        <Warning>
          At the last check {plural(withoutCommands.length, 'host')} accepted the login but could not run commands.
          Steps would fail there:{' '}
          {withoutCommands
            .slice(0, NAMED)
            .map(({ name }) => name)
            .join(', ')}
          .
        </Warning>
      )}
      {unreachedServers.length > 0 && (
        <Warning>
          The last check did not reach{' '}
          {unreachedServers
            .slice(0, NAMED)
            .map(({ name }) => name)
            .join(', ')}
          .
        </Warning>
      )}
    </Stack>
  );
}

function Warning({ children }: { children: React.ReactNode }) {
  return (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} py={6}>
      {children}
    </Alert>
  );
}
