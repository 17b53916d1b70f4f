import { Button, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconDeviceDesktop, IconDeviceLaptop } from '@tabler/icons-react';
import { useState } from 'react';
import { sessionsQuery, useRevokeSession } from '../../api/queries/access/sessions';
import type { Session } from '../../api/types';
import { Badge } from '../status/Badge';
import { browserName } from './browser-name';
import { ConfirmDialog } from '../dialogs/ConfirmDialog';
import { type Column, DataTable } from '../tables/DataTable';
import { EmptyState } from '../feedback/EmptyState';
import { listState } from '../tables/list-state';
import { RelativeTime } from '../format/RelativeTime';

interface Props {
  /** Member whose sessions are shown to an admin; null = the signed-in member. */
  memberId: string | null;
  memberName?: string;
}

/** Signed-in browsers, each with a button to end its session. */
export function SessionsTable({ memberId, memberName }: Props) {
  const sessions = useInfiniteQuery(sessionsQuery(memberId));
  const revoke = useRevokeSession(memberId);
  const [sessionToEnd, setSessionToEnd] = useState<Session | null>(null);
  const columns: Column<Session>[] = [
    { key: 'browser', title: 'Browser', render: (session) => <Browser session={session} /> },
    {
      key: 'seen',
      title: 'Last seen',
      width: 130,
      render: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} />,
    },
    {
      key: 'since',
      title: 'Signed in',
      from: 'sm',
      width: 130,
      render: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    {
      key: 'end',
      title: '',
      width: 90,
      align: 'right',
      render: (session) =>
        !session.current && (
          <Button
            variant="default"
            aria-label={`End the session of ${browserName(session.userAgent)} at ${session.address}`}
            onClick={() => {
              revoke.reset();
              setSessionToEnd(session);
            }}
          >
            End
          </Button>
        ),
    },
  ];
  return (
    <>
      <DataTable
        label="Sessions"
        list={listState(sessions)}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconDeviceDesktop} title="No sessions">
            {memberName ?? 'This member'} has no active browser session. API tokens are on their own page.
          </EmptyState>
        }
      />
      <ConfirmDialog
        opened={sessionToEnd !== null}
        title={sessionToEnd ? `End the session of ${browserName(sessionToEnd.userAgent)}?` : ''}
        confirm="End session"
        pending={revoke.isPending}
        error={revoke.error}
        onConfirm={() => sessionToEnd && revoke.mutate(sessionToEnd.id, { onSuccess: () => setSessionToEnd(null) })}
        onClose={() => setSessionToEnd(null)}
      >
        The browser must sign in again. API tokens stay valid.
      </ConfirmDialog>
    </>
  );
}

function Browser({ session: { userAgent, address, current } }: { session: Session }) {
  return (
    <Stack gap={2} align="flex-start">
      <Text fw={550} title={userAgent}>
        {browserName(userAgent)}
      </Text>
      <Text size="xs" c="dimmed">
        from {address}
      </Text>
      {current && (
        <Badge tone="active" icon={IconDeviceLaptop}>
          This browser
        </Badge>
      )}
    </Stack>
  );
}
