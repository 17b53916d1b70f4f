import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Can } from '../../access/Can';
import { departedServersQuery, useDecideDepartedServer } from '../../api/queries/inventory/departed-servers';
import type { DepartedServer, Environment } from '../../api/types';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { exactTime } from '../../ui/format/format';
import { RelativeTime } from '../../ui/format/RelativeTime';

const HOW: Record<DepartedServer['how'], string> = {
  moved: 'Moved to another environment',
  deleted: 'Deleted',
  readdressed: 'Given another address, port or jump server',
  forgotten: 'Proofs forgotten',
};

/** Servers that left the environment, whose hosts it protects until another approver releases them. */
export function DepartedServers({ environment }: { environment: Environment }) {
  const departed = useQuery({ ...departedServersQuery(environment.id), enabled: environment.protected });
  const items = departed.data?.items ?? [];
  if (departed.error) return <ErrorPanel error={departed.error} onRetry={() => void departed.refetch()} />;
  if (!environment.protected || items.length === 0) return null;
  return (
    <Paper p="md">
      <Text fw={550}>Servers that left</Text>
      <Text size="sm" c="dimmed" mb="sm">
        Runs of other environments do not reach these hosts yet. Another approver can release them before the time is
        over, or keep them protected.
      </Text>
      <Stack gap="md">
        {items.map((item) => (
          <DepartedItem key={item.id} item={item} environmentId={environment.id} />
        ))}
      </Stack>
    </Paper>
  );
}

function DepartedItem({ item, environmentId }: { item: DepartedServer; environmentId: string }) {
  const decide = useDecideDepartedServer(environmentId);
  const { countsUntil, currentUserObstacleText } = item;
  const addresses = [...new Set(item.proofs.map(({ address }) => address))];
  // The API names the time in UTC.
  const obstacle =
    countsUntil === null
      ? currentUserObstacleText
      : currentUserObstacleText?.replace(countsUntil, exactTime(countsUntil));
  return (
    <Stack gap={4}>
      <Text style={{ overflowWrap: 'anywhere' }}>
        <b>{item.serverName}</b> ({addresses.join(', ')})
      </Text>
      <Text size="sm">
        {HOW[item.how]}
        {item.leftByName ? ` by ${item.leftByName}` : ''}, <RelativeTime at={item.leftAt} />.{' '}
        {countsUntil === null
          ? `Kept protected by ${item.keptByName ?? 'an approver'}.`
          : `Protected until ${exactTime(countsUntil)}.`}
      </Text>
      {obstacle && (
        <Text size="sm" c="dimmed">
          {obstacle}
        </Text>
      )}
      {decide.error && <ErrorPanel error={decide.error} />}
      <Group gap="xs">
        <Can role="viewer" unless={obstacle}>
          <Button
            size="xs"
            variant="default"
            loading={decide.isPending}
            onClick={() => decide.mutate({ departureId: item.id, verb: 'release' })}
          >
            Release host
          </Button>
        </Can>
        {countsUntil !== null && (
          <Button
            size="xs"
            variant="default"
            loading={decide.isPending}
            onClick={() => decide.mutate({ departureId: item.id, verb: 'keep' })}
          >
            Keep protected
          </Button>
        )}
      </Group>
    </Stack>
  );
}
