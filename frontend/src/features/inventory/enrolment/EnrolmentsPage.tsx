import { Box, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconPlugConnected } from '@tabler/icons-react';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import { environmentChoicesQuery } from '../../../api/queries/inventory/environments';
import { enrolmentsQuery, useRevokeEnrolment } from '../../../api/queries/inventory/enrolments';
import type { Enrolment } from '../../../api/types';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { ConfirmDialog } from '../../../ui/dialogs/ConfirmDialog';
import { AnchorLink } from '../../../ui/page/links';
import { PageHeader } from '../../../ui/page/PageHeader';
import { type Column, DataTable } from '../../../ui/tables/DataTable';
import { listState } from '../../../ui/tables/list-state';
import { EnrolHostLink } from './EnrolHostLink';
import { EnrolmentBadge } from './EnrolmentBadge';
import { enrolmentStateText } from './enrolment-states';

const route = getRouteApi('/app/servers/enrolments');
const ENROLMENT_FILTERS = [
  { value: 'open', label: 'Open' },
  { value: 'all', label: 'All' },
];

export function EnrolmentsPage() {
  const { show } = route.useSearch();
  const navigate = useNavigate({ from: '/servers/enrolments' });
  const enrolments = useInfiniteQuery(enrolmentsQuery(show === 'open'));
  const environments = useQuery(environmentChoicesQuery);
  const [enrolmentToRevoke, setEnrolmentToRevoke] = useState<Enrolment | null>(null);
  const revoke = useRevokeEnrolment();
  const nameOf = (id: string) => environments.data?.items.find((one) => one.id === id)?.name ?? '…';
  const ask = (enrolment: Enrolment) => {
    revoke.reset();
    setEnrolmentToRevoke(enrolment);
  };
  return (
    <>
      <PageHeader
        title="Enrolments"
        above={
          <AnchorLink to="/servers" size="xs">
            Servers
          </AnchorLink>
        }
        description="Hosts that register themselves with a one-time token, newest first."
        actions={<EnrolHostLink />}
      />
      <Group mb="md">
        <SegmentedControl
          aria-label="Filter enrolments"
          data={ENROLMENT_FILTERS}
          value={show ?? 'all'}
          onChange={(value) => void navigate({ search: value === 'open' ? { show: 'open' } : {}, replace: true })}
        />
      </Group>
      <DataTable
        label="Enrolments"
        list={listState(enrolments)}
        columns={columnsOf(nameOf, ask)}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={IconPlugConnected}
            title={show === 'open' ? 'No open enrolments' : 'No enrolments yet'}
            action={<EnrolHostLink />}
          >
            With an enrolment, a new host registers itself with its host keys. No one has to trust the first connection.
          </EmptyState>
        }
      />
      <ConfirmDialog
        opened={enrolmentToRevoke !== null}
        title="Revoke this enrolment?"
        confirm="Revoke enrolment"
        pending={revoke.isPending}
        error={revoke.error}
        onConfirm={() =>
          enrolmentToRevoke && revoke.mutate(enrolmentToRevoke.id, { onSuccess: () => setEnrolmentToRevoke(null) })
        }
        onClose={() => setEnrolmentToRevoke(null)}
      >
        The token becomes invalid. A server that was registered with it stays.
      </ConfirmDialog>
    </>
  );
}

const columnsOf = (nameOf: (id: string) => string, onRevoke: (enrolment: Enrolment) => void): Column<Enrolment>[] => [
  {
    key: 'what',
    title: 'Host',
    render: (enrolment) => <Host enrolment={enrolment} />,
  },
  {
    key: 'state',
    title: 'State',
    from: 'sm',
    render: (enrolment) => <State enrolment={enrolment} />,
  },
  {
    key: 'environment',
    title: 'Environment',
    from: 'sm',
    width: 140,
    render: ({ environmentId }) => nameOf(environmentId),
  },
  { key: 'who', title: 'Created by', from: 'md', width: 140, render: ({ createdBy }) => createdBy.name },
  { key: 'ends', title: 'Expires', from: 'sm', width: 120, render: ({ expiresAt }) => <RelativeTime at={expiresAt} /> },
  {
    key: 'revoke',
    title: '',
    width: 100,
    align: 'right',
    render: (enrolment) =>
      (enrolment.state === 'open' || (enrolment.state === 'used' && enrolment.revokedAt === null)) && (
        <Can role="operator">
          <Button
            variant="default"
            aria-label={`Revoke enrolment ${enrolment.prefix}`}
            onClick={() => onRevoke(enrolment)}
          >
            Revoke
          </Button>
        </Can>
      ),
  },
];

function Host({ enrolment }: { enrolment: Enrolment }) {
  const { server, name, prefix, username } = enrolment;
  return (
    <Stack gap={0} align="flex-start" className="rw-wrap-anywhere">
      {server ? (
        <AnchorLink to="/servers/$id" params={{ id: server.id }} fw={550}>
          {server.name}
        </AnchorLink>
      ) : (
        <Text fw={550}>{name ?? 'Host name of the machine'}</Text>
      )}
      <Text size="xs" c="dimmed">
        as {username}
      </Text>
      <Text size="xs" c="dimmed" className="rw-mono">
        {prefix}…
      </Text>
      <Box hiddenFrom="sm" mt={4}>
        <State enrolment={enrolment} />
      </Box>
    </Stack>
  );
}

function State({ enrolment }: { enrolment: Enrolment }) {
  const stateText = enrolmentStateText(enrolment);
  return (
    <Stack gap={2} align="flex-start">
      <EnrolmentBadge of={enrolment} />
      {stateText !== null && (
        <Text size="xs" c="dimmed" className="rw-wrap-anywhere">
          {stateText}
        </Text>
      )}
    </Stack>
  );
}
