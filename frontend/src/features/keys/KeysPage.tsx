import { Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconHistory, IconKey, IconPlus, IconRotate } from '@tabler/icons-react';
import { useState } from 'react';
import { Can } from '../../access/Can';
import { keysQuery, useDeleteKey } from '../../api/queries/inventory/keys';
import type { SshKey } from '../../api/types';
import { ConfirmDialog } from '../../ui/forms/ConfirmDialog';
import { CopyButton } from '../../ui/copy/CopyButton';
import { type Column, DataTable } from '../../ui/tables/DataTable';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { listState } from '../../ui/tables/list-state';
import { PageHeader } from '../../ui/page/PageHeader';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { RowActions } from '../../ui/tables/RowActions';
import { SearchField } from '../../ui/forms/SearchField';
import { AnchorLink, ButtonLink } from '../../ui/page/links';
import { CertificateBadge } from './certificate/CertificateBadge';
import { authorizeCommand } from './form/authorize-command';
import { NewKeyDialog } from './form/NewKeyDialog';
import { RenameKeyDialog } from './form/RenameKeyDialog';
import { notRotatable } from './rotation/not-rotatable';

const route = getRouteApi('/app/keys');

export function KeysPage() {
  const { q } = route.useSearch();
  const navigate = useNavigate({ from: '/keys' });
  const keys = useInfiniteQuery(keysQuery(q));
  const [dialogOpen, setDialogOpen] = useState(false);
  const [keyToRename, setKeyToRename] = useState<SshKey | null>(null);
  const [keyToDelete, setKeyToDelete] = useState<SshKey | null>(null);
  const remove = useDeleteKey();
  const create = (
    <Can role="operator">
      <Button leftSection={<IconPlus size={15} aria-hidden />} onClick={() => setDialogOpen(true)}>
        New key
      </Button>
    </Can>
  );
  const columns: Column<SshKey>[] = [
    {
      key: 'name',
      title: 'Name',
      render: (key) => (
        <Stack gap={2} align="flex-start">
          <AnchorLink to="/keys/$id" params={{ id: key.id }} fw={550} c="inherit" className="rw-wrap-anywhere">
            {key.name}
          </AnchorLink>
          <Text size="xs" c="dimmed">
            {key.type}
          </Text>
          {key.certificate && <CertificateBadge certificate={key.certificate} prefix="Certificate" />}
          {key.rotationId !== null && (
            <AnchorLink to="/keys/rotations/$id" params={{ id: key.rotationId }} search={{}} size="xs">
              Rotating
            </AnchorLink>
          )}
        </Stack>
      ),
    },
    {
      key: 'fingerprint',
      title: 'Fingerprint',
      from: 'md',
      render: ({ fingerprint }) => <span className="rw-mono rw-wrap-anywhere">{fingerprint}</span>,
    },
    {
      key: 'public',
      title: 'Public key',
      width: 240,
      render: (key) => (
        <Group gap={6} wrap="nowrap">
          <CopyButton value={key.publicKey} what={`public key of ${key.name}`} />
          <CopyButton value={authorizeCommand(key.publicKey)} what="command">
            authorized_keys
          </CopyButton>
        </Group>
      ),
    },
    { key: 'used', title: 'Used by', from: 'sm', width: 190, render: (key) => <UsedBy sshKey={key} /> },
    {
      key: 'last',
      title: 'Last used',
      from: 'lg',
      width: 120,
      render: ({ lastUsedAt }) => <RelativeTime at={lastUsedAt} never="Never" />,
    },
    {
      key: 'actions',
      title: '',
      width: 60,
      align: 'right',
      render: (key) => (
        <RowActions
          label={`Actions for ${key.name}`}
          editWord="Rename"
          onEdit={() => setKeyToRename(key)}
          onDelete={() => {
            remove.reset();
            setKeyToDelete(key);
          }}
        >
          <Can role="operator" unless={notRotatable(key)}>
            <Menu.Item
              leftSection={<IconRotate size={15} aria-hidden />}
              onClick={() => void navigate({ to: '/keys/$id', params: { id: key.id }, search: { open: 'rotate' } })}
            >
              Rotate
            </Menu.Item>
          </Can>
        </RowActions>
      ),
    },
  ];
  return (
    <>
      <PageHeader
        title="SSH keys"
        description="Keys that Runward signs in to servers with. Private keys are stored encrypted and never shown again. Install the public key on your servers."
        actions={
          <>
            <ButtonLink to="/keys/rotations" variant="default" leftSection={<IconHistory size={15} aria-hidden />}>
              Rotations
            </ButtonLink>
            {create}
          </>
        }
      />
      <Group mb="md">
        <SearchField
          label="Search keys"
          value={q ?? ''}
          onChange={(value) => void navigate({ search: { q: value || undefined }, replace: true })}
        />
      </Group>
      <DataTable
        label="SSH keys"
        list={listState(keys)}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={IconKey}
            title={q ? 'No SSH keys match this search' : 'No SSH keys yet'}
            action={q ? undefined : create}
          >
            Generate a key and install its public key on your servers, or import an existing key.
          </EmptyState>
        }
      />
      {dialogOpen && <NewKeyDialog onClose={() => setDialogOpen(false)} />}
      {keyToRename && <RenameKeyDialog sshKey={keyToRename} onClose={() => setKeyToRename(null)} />}
      <ConfirmDialog
        opened={keyToDelete !== null}
        title={`Delete ${keyToDelete?.name ?? ''}?`}
        confirm="Delete key"
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => keyToDelete && remove.mutate(keyToDelete, { onSuccess: () => setKeyToDelete(null) })}
        onClose={() => setKeyToDelete(null)}
      >
        Deletes the private key permanently. A key that servers use cannot be deleted.
      </ConfirmDialog>
    </>
  );
}

function UsedBy({ sshKey }: { sshKey: SshKey }) {
  const { usedBy, usedByCount } = sshKey;
  if (usedByCount === 0) return <Text c="dimmed">No servers</Text>;
  const named = usedBy.slice(0, 3).map(({ name }) => name);
  return (
    <Text lineClamp={2}>
      {named.join(', ')}
      {usedByCount > named.length && ` and ${usedByCount - named.length} more`}
    </Text>
  );
}
