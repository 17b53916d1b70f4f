import { Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import {
  IconCircleCheck,
  IconHistory,
  IconPlus,
  IconRobot,
  IconTerminal2,
  IconUserCheck,
  IconUserOff,
} from '@tabler/icons-react';
import { useState } from 'react';
import { ROLE_MEANINGS, ROLE_NAMES } from '../../access/roles';
import { serviceAccountsQuery } from '../../api/queries/access/service-accounts';
import type { ServiceAccount } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { SearchField } from '../../ui/forms/SearchField';
import { AdminOnly } from '../../ui/page/AdminOnly';
import { MenuItemLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { Badge } from '../../ui/status/Badge';
import { type Column, DataTable } from '../../ui/tables/DataTable';
import { listState } from '../../ui/tables/list-state';
import { RowActions } from '../../ui/tables/RowActions';
import { type AccountAction, AccountConfirm } from './AccountConfirm';
import { ServiceAccountDialog } from './ServiceAccountDialog';

const route = getRouteApi('/app/settings/service-accounts');

export function ServiceAccountsPage() {
  return (
    <AdminOnly title="Service accounts">
      <ServiceAccounts />
    </AdminOnly>
  );
}

function ServiceAccounts() {
  const { q, open } = route.useSearch();
  const navigate = useNavigate({ from: '/settings/service-accounts' });
  const accounts = listState(useInfiniteQuery(serviceAccountsQuery(q)));
  const [editedId, setEditedId] = useState<string | null>(null);
  const [accountToConfirm, setAccountToConfirm] = useState<{ account: ServiceAccount; action: AccountAction } | null>(
    null,
  );
  const edited = accounts.rows?.find(({ id }) => id === editedId);
  const show = (what: 'new' | undefined) =>
    void navigate({ search: (before) => ({ ...before, open: what }), replace: true });
  const add = (
    <Button leftSection={<IconPlus size={15} aria-hidden />} onClick={() => show('new')}>
      New service account
    </Button>
  );
  const columns: Column<ServiceAccount>[] = [
    {
      key: 'name',
      title: 'Name',
      width: '34%',
      render: ({ name, description, role }) => (
        <Stack gap={0}>
          <Text fw={550} className="rw-wrap-anywhere">
            {name}
          </Text>
          <Text size="xs" c="dimmed" lineClamp={2}>
            {description}
          </Text>
          <Text size="xs" hiddenFrom="xs">
            {ROLE_NAMES[role]}
          </Text>
        </Stack>
      ),
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
    {
      key: 'state',
      title: 'Status',
      width: 120,
      render: ({ disabled }) =>
        disabled ? (
          <Badge tone="muted" icon={IconUserOff}>
            Disabled
          </Badge>
        ) : (
          <Badge tone="good" icon={IconCircleCheck}>
            Active
          </Badge>
        ),
    },
    {
      key: 'since',
      title: 'Created',
      from: 'lg',
      width: 130,
      render: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    {
      key: 'actions',
      title: '',
      width: 60,
      align: 'right',
      render: (account) => (
        <AccountMenu
          account={account}
          onEdit={() => setEditedId(account.id)}
          onAction={(action) => setAccountToConfirm({ account, action })}
        />
      ),
    },
  ];
  return (
    <>
      <PageHeader
        title="Service accounts"
        description="Members for programs. They use API tokens, can have grants, and cannot sign in or approve."
        actions={add}
      />
      <Group mb="md">
        <SearchField
          label="Search service accounts"
          value={q ?? ''}
          onChange={(value) =>
            void navigate({ search: (before) => ({ ...before, q: value || undefined }), replace: true })
          }
        />
      </Group>
      <DataTable
        label="Service accounts"
        list={accounts}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          q ? (
            <EmptyState icon={IconRobot} title="No service accounts match this search">
              Search for part of a name.
            </EmptyState>
          ) : (
            <EmptyState icon={IconRobot} title="No service accounts yet" action={add}>
              Create a service account for each pipeline. It has only the rights it needs and does not depend on a
              person.
            </EmptyState>
          )
        }
      />
      {open === 'new' && <ServiceAccountDialog account={null} onClose={() => show(undefined)} />}
      {edited && <ServiceAccountDialog account={edited} onClose={() => setEditedId(null)} />}
      {accountToConfirm && <AccountConfirm {...accountToConfirm} onClose={() => setAccountToConfirm(null)} />}
    </>
  );
}

interface MenuProps {
  account: ServiceAccount;
  onEdit: () => void;
  onAction: (action: AccountAction) => void;
}

function AccountMenu({ account: { id, name, disabled }, onEdit, onAction }: MenuProps) {
  return (
    <RowActions
      role="admin"
      label={`Actions for ${name}`}
      editWord="Edit"
      deleteWord="Remove"
      onEdit={onEdit}
      onDelete={() => onAction('remove')}
    >
      <MenuItemLink to="/settings/tokens" search={{ user: id }} leftSection={<IconTerminal2 size={15} aria-hidden />}>
        API tokens
      </MenuItemLink>
      <MenuItemLink to="/audit" search={{ actor: id }} leftSection={<IconHistory size={15} aria-hidden />}>
        Audit entries
      </MenuItemLink>
      <Menu.Divider />
      {disabled ? (
        <Menu.Item leftSection={<IconUserCheck size={15} aria-hidden />} onClick={() => onAction('enable')}>
          Enable
        </Menu.Item>
      ) : (
        <Menu.Item leftSection={<IconUserOff size={15} aria-hidden />} onClick={() => onAction('disable')}>
          Disable
        </Menu.Item>
      )}
    </RowActions>
  );
}
