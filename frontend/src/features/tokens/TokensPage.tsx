import { Anchor, Group, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconPlus, IconTerminal2 } from '@tabler/icons-react';
import { useState } from 'react';
import { memberChoicesQuery } from '../../api/queries/access/members';
import { meQuery } from '../../api/queries/access/session';
import { tokenQuery, tokensQuery, useRevokeToken } from '../../api/queries/access/tokens';
import type { Token } from '../../api/types';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { listState } from '../../ui/tables/list-state';
import { CLIENT_PATH, COMMAND_LINE_PATH } from '../../ui/copy/token-recipes';
import { MemberSelect } from '../../ui/members/MemberSelect';
import { PageHeader } from '../../ui/page/PageHeader';
import { RunsCancelled } from '../../ui/runs/RunsCancelled';
import { NewTokenDialog } from './NewTokenDialog';
import { TokenTable } from './TokenTable';
import { ActionButton } from '../../ui/page/ActionButton';

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
  const create = (
    <ActionButton icon={IconPlus} variant="filled" onClick={() => setDialogOpen(true)}>
      New token
    </ActionButton>
  );
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
      <Text size="sm" mb="md">
        Use a token with the{' '}
        <Anchor href={COMMAND_LINE_PATH} download inherit underline="always">
          command line
        </Anchor>{' '}
        (one file for Node.js 20 or newer), the{' '}
        <Anchor href={CLIENT_PATH} download inherit underline="always">
          TypeScript client
        </Anchor>
        , or the{' '}
        <Anchor href="/api/docs" inherit underline="always">
          API
        </Anchor>
        . This instance serves them in its own version.
      </Text>
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
      <TokenTable
        list={tokens}
        onRevoke={setTokenToRevoke}
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
