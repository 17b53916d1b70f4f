import { Group, Stack, Text } from '@mantine/core';
import { IconCircleCheck, IconUserOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ROLE_MEANINGS, ROLE_NAMES } from '../../access/roles';
import type { Role } from '../../api/types';
import { RelativeTime } from '../format/RelativeTime';
import { SearchField } from '../forms/SearchField';
import { Badge } from '../status/Badge';
import { type Column, DataTable, type ListState } from '../tables/DataTable';

interface Account {
  id: string;
  role: Role;
  disabled: boolean;
  createdAt: string;
}

interface Props<T extends Account> {
  label: string;
  list: ListState<T>;
  searchLabel: string;
  searchTerm: string | undefined;
  onSearch: (term: string | undefined) => void;
  nameWidth: string;
  renderName: (account: T) => ReactNode;
  /** Title of the column with the time of creation. */
  createdTitle: string;
  renderActions: (account: T) => ReactNode;
  empty: ReactNode;
}

/** Searchable table of members or service accounts. */
export function AccountTable<T extends Account>(props: Props<T>) {
  const { label, list, searchLabel, searchTerm, onSearch, nameWidth, renderName, createdTitle, renderActions } = props;
  const columns: Column<T>[] = [
    {
      key: 'name',
      title: 'Name',
      width: nameWidth,
      render: (account) => (
        <Stack gap={0}>
          {renderName(account)}
          <Text size="xs" hiddenFrom="xs">
            {ROLE_NAMES[account.role]}
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
    { key: 'state', title: 'Status', width: 120, render: ({ disabled }) => <AccountStatus disabled={disabled} /> },
    {
      key: 'since',
      title: createdTitle,
      from: 'lg',
      width: 130,
      render: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    { key: 'actions', title: '', width: 60, align: 'right', render: renderActions },
  ];
  return (
    <>
      <Group mb="md">
        <SearchField label={searchLabel} value={searchTerm ?? ''} onChange={(value) => onSearch(value || undefined)} />
      </Group>
      <DataTable label={label} list={list} columns={columns} rowKey={({ id }) => id} empty={props.empty} />
    </>
  );
}

function AccountStatus({ disabled }: { disabled: boolean }) {
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
