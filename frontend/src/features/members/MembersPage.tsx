import { Menu, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconDeviceDesktop, IconLink, IconPlus, IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { AdminOnly } from '../../ui/page/AdminOnly';
import { membersQuery } from '../../api/queries/access/members';
import { meQuery } from '../../api/queries/access/session';
import type { Member } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { AccountMenu } from '../../ui/members/AccountMenu';
import { AccountTable } from '../../ui/members/AccountTable';
import { listState } from '../../ui/tables/list-state';
import { MenuItemLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { EditMemberDialog } from './EditMemberDialog';
import { type MemberAction, MemberConfirm } from './MemberConfirm';
import { MemberSessions } from './MemberSessions';
import { NewMemberDialog } from './NewMemberDialog';
import { ActionButton } from '../../ui/page/ActionButton';

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
  return (
    <>
      <PageHeader
        title="Members"
        description="People who can sign in, with their roles. Changes apply from the member’s next request."
        actions={
          <ActionButton icon={IconPlus} variant="filled" onClick={() => setDialogOpen(true)}>
            New member
          </ActionButton>
        }
      />
      <AccountTable
        label="Members"
        list={members}
        searchLabel="Search members"
        searchTerm={q}
        onSearch={(term) => void navigate({ search: (before) => ({ ...before, q: term }), replace: true })}
        nameWidth="28%"
        renderName={(member) => <Name member={member} isSelf={member.id === me?.id} />}
        createdTitle="Member since"
        renderActions={(member) => (
          <MemberMenu
            member={member}
            onEdit={() => setEditedId(member.id)}
            onAction={(action) => setConfirmation({ member, action })}
          />
        )}
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

function Name({ member: { name, email }, isSelf }: { member: Member; isSelf: boolean }) {
  return (
    <>
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
    </>
  );
}

interface MenuProps {
  member: Member;
  onEdit: () => void;
  onAction: (action: MemberAction) => void;
}

function MemberMenu({ member, onEdit, onAction }: MenuProps) {
  return (
    <AccountMenu
      account={member}
      editWord="Edit name and role"
      onEdit={onEdit}
      onAction={onAction}
      links={
        <MenuItemLink
          to="/settings/members"
          search={(before) => ({ ...before, sessions: member.id })}
          leftSection={<IconDeviceDesktop size={15} aria-hidden />}
        >
          Sessions
        </MenuItemLink>
      }
      actions={
        <Menu.Item leftSection={<IconLink size={15} aria-hidden />} onClick={() => onAction('link')}>
          Create set-password link
        </Menu.Item>
      }
    />
  );
}
