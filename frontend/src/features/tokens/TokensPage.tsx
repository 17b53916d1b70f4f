import { Button, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconPlus, IconTerminal2 } from '@tabler/icons-react';
import { useState } from 'react';
import { memberChoicesQuery } from '../../api/queries/access/members';
import { meQuery } from '../../api/queries/access/session';
import { tokenQuery, tokensQuery, useRevokeToken } from '../../api/queries/access/tokens';
import type { Token } from '../../api/types';
import { ConfirmDialog } from '../../ui/forms/ConfirmDialog';
import { type Column, DataTable } from '../../ui/tables/DataTable';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { listState } from '../../ui/tables/list-state';
import { MemberSelect } from '../../ui/members/MemberSelect';
import { PageHeader } from '../../ui/page/PageHeader';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { useNow } from '../../ui/format/useNow';
import { RunsCancelled } from '../../ui/runs/RunsCancelled';
import { scopeSummary } from '../../ui/scopes/scope-words';
import { useScopeNames } from '../../ui/scopes/useScopeNames';
import { NewTokenDialog } from './NewTokenDialog';

const route = getRouteApi('/app/settings/tokens');

export function TokensPage() {
  const { user } = route.useSearch();
  const navigate = useNavigate({ from: '/settings/tokens' });
  const { data: me } = useQuery(meQuery);
  const { data: choices } = useQuery({ ...memberChoicesQuery, enabled: me?.role === 'admin' && user !== undefined });
  const account = choices?.items.find(({ id, kind }) => id === user && kind === 'service_account');
  const others = user !== undefined && user !== me?.id;
  const tokens = listState(useInfiniteQuery(tokensQuery(user)));
  const [dialogOpen, setDialogOpen] = useState(false);
  const [tokenToRevoke, setTokenToRevoke] = useState<Token | null>(null);
  const { environments, plans } = useScopeNames();
  const create = (
    <Button leftSection={<IconPlus size={15} aria-hidden />} onClick={() => setDialogOpen(true)}>
      New token
    </Button>
  );
  const columns: Column<Token>[] = [
    { key: 'name', title: 'Name', render: (token) => <Name token={token} all={tokens.rows ?? []} /> },
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
          <Button variant="default" aria-label={`Revoke ${token.name}`} onClick={() => setTokenToRevoke(token)}>
            Revoke
          </Button>
        ),
    },
  ];
  return (
    <>
      <PageHeader
        title="API tokens"
        description={
          account
            ? `Tokens of the service account ${account.name}. They act with its current role.`
            : others
              ? 'Tokens of another member. They act with the current role of that member.'
              : 'For pipelines and scripts. A token acts as you, with your current role.'
        }
        actions={others && !account ? undefined : create}
      />
      {me?.role === 'admin' && (
        <Group mb="md">
          <MemberSelect
            aria-label="Owner of the tokens"
            placeholder="My tokens"
            w={{ base: '100%', xs: 300 }}
            value={user ?? null}
            onChange={(value: string | null) => void navigate({ search: value ? { user: value } : {} })}
            clearable
          />
        </Group>
      )}
      <DataTable
        label="API tokens"
        list={tokens}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          account ? (
            <EmptyState icon={IconTerminal2} title="No API tokens yet" action={create}>
              Create a token for the service account, or add a trust rule.
            </EmptyState>
          ) : others ? (
            <EmptyState icon={IconTerminal2} title="This member has no API tokens">
              Only members can create their own tokens. Admins can view and revoke them.
            </EmptyState>
          ) : (
            <EmptyState icon={IconTerminal2} title="No API tokens yet" action={create}>
              Use a token to start plans from your pipeline with the API.
            </EmptyState>
          )
        }
      />
      {dialogOpen && <NewTokenDialog account={account} onClose={() => setDialogOpen(false)} />}
      {tokenToRevoke && <RevokeConfirm token={tokenToRevoke} onClose={() => setTokenToRevoke(null)} />}
    </>
  );
}

function RevokeConfirm({ token, onClose }: { token: Token; onClose: () => void }) {
  const revoke = useRevokeToken();
  const counted = useQuery(tokenQuery(token.id));
  return (
    <ConfirmDialog
      opened
      title={`Revoke ${token.name}?`}
      confirm="Revoke token"
      pending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(token.id, { onSuccess: onClose })}
      onClose={onClose}
    >
      From the next request on, Runward refuses the token and all tokens that were made with it. Runs that have begun
      continue. You cannot undo this.
      <RunsCancelled of={counted} />
    </ConfirmDialog>
  );
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
