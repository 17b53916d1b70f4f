import { Button, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconCircleCheck, IconPlus, IconUserOff, IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { AdminOnly } from '../../ui/page/AdminOnly';
import { ROLE_MEANINGS, ROLE_NAMES } from '../../access/roles';
import { membersQuery } from '../../api/queries/access/members';
import { meQuery } from '../../api/queries/access/session';
import type { Member } from '../../api/types';
import { Badge } from '../../ui/status/Badge';
import { type Column, DataTable } from '../../ui/tables/DataTable';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { listState } from '../../ui/tables/list-state';
import { PageHeader } from '../../ui/page/PageHeader';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { SearchField } from '../../ui/forms/SearchField';
import { EditMemberDialog } from './EditMemberDialog';
import { type MemberAction, MemberConfirm } from './MemberConfirm';
import { MemberMenu } from './MemberMenu';
import { MemberSessions } from './MemberSessions';
import { NewMemberDialog } from './NewMemberDialog';

const route = getRouteApi('/app/settings/members');

export function MembersPage() {
  return (
    <AdminOnly title="Members">
      <Members />
    </AdminOnly>
  );
}

function Members() {
  const { q, sessions } = route.useSearch();
  const navigate = useNavigate({ from: '/settings/members' });
  const { data: me } = useQuery(meQuery);
  const members = listState(useInfiniteQuery(membersQuery(q, 'person')));
  const [dialogOpen, setDialogOpen] = useState(false);
  const [editedId, setEditedId] = useState<string | null>(null);
  const [confirmation, setConfirmation] = useState<{ member: Member; action: MemberAction } | null>(null);
  const edited = members.rows?.find(({ id }) => id === editedId);
  const columns: Column<Member>[] = [
    {
      key: 'name',
      title: 'Name',
      width: '28%',
      render: (member) => <Name member={member} isSelf={member.id === me?.id} />,
    },
    {
      key: 'role',
      title: 'Role',
      from: 'xs',
      render: ({ role }) => (
        <Stack gap={0}>
          <Text>{ROLE_NAMES[role]}</Text>
          <Text size="xs" c="dimmed" visibleFrom="md">
            {ROLE_MEANINGS[role]}
          </Text>
        </Stack>
      ),
    },
    { key: 'state', title: 'Status', width: 120, render: (member) => <MemberStatus member={member} /> },
    {
      key: 'since',
      title: 'Member since',
      from: 'lg',
      width: 130,
      render: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    {
      key: 'actions',
      title: '',
      width: 60,
      align: 'right',
      render: (member) => (
        <MemberMenu
          member={member}
          onEdit={() => setEditedId(member.id)}
          onAction={(action) => setConfirmation({ member, action })}
        />
      ),
    },
  ];
  return (
    <>
      <PageHeader
        title="Members"
        description="People who can sign in, with their roles. Changes apply from the member’s next request."
        actions={
          <Button leftSection={<IconPlus size={15} aria-hidden />} onClick={() => setDialogOpen(true)}>
            New member
          </Button>
        }
      />
      <Group mb="md">
        <SearchField
          label="Search members"
          value={q ?? ''}
          onChange={(value) =>
            void navigate({ search: (before) => ({ ...before, q: value || undefined }), replace: true })
          }
        />
      </Group>
      <DataTable
        label="Members"
        list={members}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconUsers} title="No members match this search">
            Search for part of a name or e-mail address.
          </EmptyState>
        }
      />
      {dialogOpen && <NewMemberDialog onClose={() => setDialogOpen(false)} />}
      {edited && <EditMemberDialog member={edited} isSelf={edited.id === me?.id} onClose={() => setEditedId(null)} />}
      {confirmation && <MemberConfirm {...confirmation} onClose={() => setConfirmation(null)} />}
      {sessions && (
        <MemberSessions
          id={sessions}
          onClose={() => void navigate({ search: ({ sessions: _, ...rest }) => rest, replace: true })}
        />
      )}
    </>
  );
}

function Name({ member: { name, email, role }, isSelf }: { member: Member; isSelf: boolean }) {
  return (
    <Stack gap={0}>
      <Text fw={550}>
        {name}
        {isSelf && (
          <Text span c="dimmed" fw={400}>
            {' '}
            (you)
          </Text>
        )}
      </Text>
      <Text size="xs" c="dimmed" className="rw-wrap-anywhere">
        {email}
      </Text>
      <Text size="xs" hiddenFrom="xs">
        {ROLE_NAMES[role]}
      </Text>
    </Stack>
  );
}

function MemberStatus({ member: { disabled } }: { member: Member }) {
  return disabled ? (
    <Badge tone="muted" icon={IconUserOff}>
      Disabled
    </Badge>
  ) : (
    <Badge tone="good" icon={IconCircleCheck}>
      Active
    </Badge>
  );
}
