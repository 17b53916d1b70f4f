import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import { missingApproval } from '../../../access/environment-access';
import { meQuery } from '../../../api/queries/access/session';
import { departedServersQuery, useDecideDepartedServer } from '../../../api/queries/inventory/departed-servers';
import type { DepartedServer, Environment } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { exactTime } from '../../../ui/format/format';
import { ReasonDialog } from '../../../ui/dialogs/ReasonDialog';
import { RelativeTime } from '../../../ui/format/RelativeTime';

const HOW: Record<DepartedServer['how'], string> = {
  moved: 'Moved to another environment',
  deleted: 'Deleted',
  readdressed: 'Address, port or jump server changed',
  forgotten: 'Proofs deleted',
};

/** Servers that left the environment. It protects their hosts until another approver releases them. */
export function DepartedServers({ environment }: { environment: Environment }) {
  const departed = useQuery({ ...departedServersQuery(environment.id), enabled: environment.protected });
  const items = departed.data?.items ?? [];
  if (departed.error) return <ErrorPanel error={departed.error} onRetry={() => void departed.refetch()} />;
  if (!environment.protected || items.length === 0) return null;
  return (
    <Paper p="md">
      <Text fw={550}>Servers that left</Text>
      <Text size="sm" c="dimmed" mb="sm">
        This environment still protects the hosts of these servers: runs of other environments cannot reach them.
        Another approver can release a host, or keep it protected beyond the time below.
      </Text>
      <Stack gap="md">
        {items.map((item) => (
          <DepartedItem key={item.id} item={item} environment={environment} />
        ))}
      </Stack>
    </Paper>
  );
}

function DepartedItem({ item, environment }: { item: DepartedServer; environment: Environment }) {
  const decide = useDecideDepartedServer(environment.id);
  const { data: me } = useQuery(meQuery);
  const { countsUntil } = item;
  const obstacle = item.currentUserObstacle?.text ?? null;
  const addresses = [...new Set(item.proofs.map(({ address }) => address))];
  const [overrideOpen, setOverrideOpen] = useState(false);
  return (
    <Stack gap={4}>
      <Text className="rw-wrap-anywhere">
        <b>{item.serverName}</b> ({addresses.join(', ')})
      </Text>
      <Text size="sm">
        {HOW[item.how]}
        {item.leftBy ? ` by ${item.leftBy.name}` : ''}, <RelativeTime at={item.leftAt} />.{' '}
        {countsUntil === null
          ? `Kept protected by ${item.keptBy?.name ?? 'an approver'}.`
          : `Protected until ${exactTime(countsUntil)}.`}
      </Text>
      {obstacle && (
        <Text size="sm" c="dimmed">
          {obstacle}
        </Text>
      )}
      {decide.error && !overrideOpen && <ErrorPanel error={decide.error} />}
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
          <Can role="viewer" unless={missingApproval(me?.role, environment)}>
            <Button
              size="xs"
              variant="default"
              loading={decide.isPending}
              onClick={() => decide.mutate({ departureId: item.id, verb: 'keep' })}
            >
              Keep protected
            </Button>
          </Can>
        )}
        {obstacle && me?.role === 'admin' && (
          <Button size="xs" variant="subtle" color="red" onClick={() => setOverrideOpen(true)}>
            Emergency release…
          </Button>
        )}
      </Group>
      {overrideOpen && (
        <ReasonDialog
          title={`Release ${item.serverName} without a second approver?`}
          description="Sent to all subscribers of this environment and recorded in the audit trail."
          confirm="Release host"
          pending={decide.isPending}
          error={decide.error}
          onSubmit={(reason) =>
            decide.mutate(
              { departureId: item.id, verb: 'release', reason },
              { onSuccess: () => setOverrideOpen(false) },
            )
          }
          onClose={() => setOverrideOpen(false)}
        >
          Runs of other environments can then reach the host.
        </ReasonDialog>
      )}
    </Stack>
  );
}
