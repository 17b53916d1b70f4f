import { Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Token } from '../../api/types';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { useNow } from '../../ui/format/useNow';
import { scopeSummary } from '../../ui/scopes/scope-words';
import { useScopeNames } from '../../ui/scopes/useScopeNames';
import { type Column, DataTable, type ListState } from '../../ui/tables/DataTable';

interface Props {
  list: ListState<Token>;
  empty: ReactNode;
  onRevoke: (token: Token) => void;
}

export function TokenTable({ list, empty, onRevoke }: Props) {
  const { environments, plans } = useScopeNames();
  const columns: Column<Token>[] = [
    { key: 'name', title: 'Name', render: (token) => <Name token={token} all={list.rows ?? []} /> },
    {
      key: 'prefix',
      title: 'Prefix',
      from: 'sm',
      width: 190,
      render: ({ prefix }) => <span className="rw-mono">{prefix}…</span>,
    },
    {
      key: 'used',
      title: 'Last used',
      width: 140,
      render: ({ lastUsedAt }) => <RelativeTime at={lastUsedAt} never="Never" />,
    },
    {
      key: 'scope',
      title: 'Scope',
      from: 'md',
      render: ({ scope }) => <Text size="sm">{scopeSummary(scope, environments.names, plans.names)}</Text>,
    },
    {
      key: 'from',
      title: 'Last address',
      from: 'lg',
      width: 150,
      render: ({ lastUsedAddress }) => lastUsedAddress ?? '–',
    },
    { key: 'expires', title: 'Expires', from: 'xs', width: 150, render: (token) => <TokenExpiry token={token} /> },
    {
      key: 'revoke',
      title: '',
      width: 100,
      align: 'right',
      render: (token) =>
        token.revokedAt === null && (
          <Button variant="default" aria-label={`Revoke ${token.name}`} onClick={() => onRevoke(token)}>
            Revoke
          </Button>
        ),
    },
  ];
  return <DataTable label="API tokens" list={list} columns={columns} rowKey={({ id }) => id} empty={empty} />;
}

function Name({ token: { name, parentId, exchanged }, all }: { token: Token; all: Token[] }) {
  const parent = all.find(({ id }) => id === parentId);
  return (
    <Stack gap={0}>
      <Text fw={550} className="rw-wrap-anywhere">
        {name}
      </Text>
      {exchanged && parentId === null && (
        <Text size="xs" c="dimmed">
          Exchanged by a trust rule
        </Text>
      )}
      {parentId !== null && (
        <Text size="xs" c="dimmed">
          Created with {parent ? `the token ${parent.name}` : 'another token'}, expires no later than that token
        </Text>
      )}
    </Stack>
  );
}

function TokenExpiry({ token }: { token: Token }) {
  const now = useNow();
  if (token.revokedAt !== null)
    return (
      <Text c="dimmed">
        Revoked <RelativeTime at={token.revokedAt} />
      </Text>
    );
  if (token.expiresAt === null) return <Text c="dimmed">Never</Text>;
  const over = Date.parse(token.expiresAt) <= now;
  return (
    <Text c={over ? 'var(--rw-bad)' : undefined}>
      {over && 'Expired '}
      <RelativeTime at={token.expiresAt} />
    </Text>
  );
}
