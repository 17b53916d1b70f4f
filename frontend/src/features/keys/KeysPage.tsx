import { Group } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconHistory, IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { keysQuery, useDeleteKey } from '../../api/queries/inventory/keys';
import type { SshKey } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { DeleteDialog } from '../../ui/dialogs/DeleteDialog';
import { SearchField } from '../../ui/forms/SearchField';
import { ActionButton } from '../../ui/page/ActionButton';
import { ButtonLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { listState } from '../../ui/tables/list-state';
import { NewKeyDialog } from './form/NewKeyDialog';
import { RenameKeyDialog } from './form/RenameKeyDialog';
import { KeyTable } from './KeyTable';

const route = getRouteApi('/app/keys');

export function KeysPage() {
  const { q, open } = route.useSearch();
  const navigate = useNavigate({ from: '/keys' });
  const keys = useInfiniteQuery(keysQuery(q));
  const showNew = (isOpen: boolean) =>
    void navigate({ search: (before) => ({ ...before, open: isOpen ? 'new' : undefined }), replace: true });
  const [keyToRename, setKeyToRename] = useState<SshKey | null>(null);
  const [keyToDelete, setKeyToDelete] = useState<SshKey | null>(null);
  const remove = useDeleteKey();
  const create = (
    <ActionButton role="operator" icon={IconPlus} variant="filled" onClick={() => showNew(true)}>
      New key
    </ActionButton>
  );
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
      <KeyTable
        list={listState(keys)}
        onRename={setKeyToRename}
        onRotate={({ id }) => void navigate({ to: '/keys/$id', params: { id }, search: { open: 'rotate' } })}
        onDelete={setKeyToDelete}
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
      {open === 'new' && <NewKeyDialog onClose={() => showNew(false)} />}
      {keyToRename && <RenameKeyDialog sshKey={keyToRename} onClose={() => setKeyToRename(null)} />}
      <DeleteDialog
        record={keyToDelete}
        name={keyToDelete?.name}
        confirm="Delete key"
        remove={remove}
        onDeleted={() => setKeyToDelete(null)}
        onClose={() => setKeyToDelete(null)}
      >
        Deletes the private key permanently. A key that servers use cannot be deleted.
      </DeleteDialog>
    </>
  );
}
