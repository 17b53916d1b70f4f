import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconPlus, IconRobot } from '@tabler/icons-react';
import { useState } from 'react';
import { serviceAccountsQuery } from '../../api/queries/access/service-accounts';
import type { ServiceAccount } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { AccountMenu } from '../../ui/members/AccountMenu';
import { AccountTable } from '../../ui/members/AccountTable';
import { AdminOnly } from '../../ui/page/AdminOnly';
import { PageHeader } from '../../ui/page/PageHeader';
import { listState } from '../../ui/tables/list-state';
import { type AccountAction, AccountConfirm } from './AccountConfirm';
import { ServiceAccountDialog } from './ServiceAccountDialog';
import { ActionButton } from '../../ui/page/ActionButton';

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
    <ActionButton icon={IconPlus} variant="filled" onClick={() => show('new')}>
      New service account
    </ActionButton>
  );
  return (
    <>
      <PageHeader
        title="Service accounts"
        description="Members for programs. They use API tokens, can have grants, and cannot sign in or approve."
        actions={add}
      />
      <AccountTable
        label="Service accounts"
        list={accounts}
        searchLabel="Search service accounts"
        searchTerm={q}
        onSearch={(term) => void navigate({ search: (before) => ({ ...before, q: term }), replace: true })}
        nameWidth="34%"
        renderName={({ name, description }) => (
          <>
            <Text fw={550} className="rw-wrap-anywhere">
              {name}
            </Text>
            <Text size="xs" c="dimmed" lineClamp={2}>
              {description}
            </Text>
          </>
        )}
        createdTitle="Created"
        renderActions={(account) => (
          <AccountMenu
            account={account}
            editWord="Edit"
            onEdit={() => setEditedId(account.id)}
            onAction={(action) => setAccountToConfirm({ account, action })}
          />
        )}
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
