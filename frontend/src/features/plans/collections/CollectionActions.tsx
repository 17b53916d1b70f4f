import { IconFolderPlus, IconPencil, IconSnowflake, IconSnowflakeOff, IconTrash } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useDeleteCollection, useUpdateCollection } from '../../../api/queries/plans/collections';
import type { Collection } from '../../../api/types';
import { childrenOf } from '../../../ui/collections/collection-tree';
import { useNow } from '../../../ui/format/useNow';
import { ConfirmDialog } from '../../../ui/dialogs/ConfirmDialog';
import { DeleteDialog } from '../../../ui/dialogs/DeleteDialog';
import { ActionButton } from '../../../ui/page/ActionButton';
import { CollectionDialog } from './CollectionDialog';
import { obstacleToDeletion } from './collection-text';
import { FreezeDialog } from './FreezeDialog';
import { freezeState } from './freeze-form';

type OpenDialog = 'edit' | 'new' | 'freeze' | 'lift' | 'delete' | null;

interface Props {
  collection: Collection;
  all: readonly Collection[];
}

/** Buttons for a collection, and the dialogs that they open. */
export function CollectionActions({ collection, all }: Props) {
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const state = freezeState(collection, useNow());
  return (
    <>
      <ActionButton role="operator" icon={IconFolderPlus} onClick={() => setDialog('new')}>
        New subcollection
      </ActionButton>
      <ActionButton role="operator" icon={IconPencil} onClick={() => setDialog('edit')}>
        Rename or move
      </ActionButton>
      <ActionButton role="admin" icon={IconSnowflake} onClick={() => setDialog('freeze')}>
        {state === 'none' ? 'Freeze' : 'Change freeze'}
      </ActionButton>
      {state !== 'none' && (
        <ActionButton role="admin" icon={IconSnowflakeOff} onClick={() => setDialog('lift')}>
          Lift freeze
        </ActionButton>
      )}
      <ActionButton
        role="operator"
        unless={obstacleToDeletion(collection, childrenOf(all, collection.id).length)}
        icon={IconTrash}
        c="var(--mantine-color-error)"
        onClick={() => setDialog('delete')}
      >
        Delete
      </ActionButton>
      <CollectionDialogs collection={collection} dialog={dialog} onClose={() => setDialog(null)} />
    </>
  );
}

interface DialogsProps {
  collection: Collection;
  dialog: OpenDialog;
  onClose: () => void;
}

function CollectionDialogs({ collection, dialog, onClose }: DialogsProps) {
  const navigate = useNavigate({ from: '/plans' });
  const remove = useDeleteCollection();
  const update = useUpdateCollection();
  const choose = (id: string | undefined) => void navigate({ search: (before) => ({ ...before, collection: id }) });
  return (
    <>
      {dialog === 'edit' && (
        <CollectionDialog current={collection} parentId={null} onClose={onClose} onSaved={onClose} />
      )}
      {dialog === 'new' && (
        <CollectionDialog
          current={null}
          parentId={collection.id}
          onClose={onClose}
          onSaved={({ id }) => {
            onClose();
            choose(id);
          }}
        />
      )}
      {dialog === 'freeze' && <FreezeDialog collection={collection} onClose={onClose} />}
      <ConfirmDialog
        opened={dialog === 'lift'}
        title={`Lift freeze of ${collection.name}?`}
        confirm="Lift freeze"
        color="iris"
        pending={update.isPending}
        error={update.error}
        onConfirm={() => update.mutate({ collection, body: { freeze: null } }, { onSuccess: onClose })}
        onClose={() => {
          update.reset();
          onClose();
        }}
      >
        Its plans can start again. Runs that wait for the end of the freeze start now, unless another freeze applies.
      </ConfirmDialog>
      <DeleteDialog
        record={dialog === 'delete' ? collection : null}
        name={collection.name}
        confirm="Delete collection"
        remove={remove}
        onDeleted={() => {
          onClose();
          choose(collection.parentId ?? undefined);
        }}
        onClose={onClose}
      >
        It contains nothing that you can view. If it contains plans that you cannot view, it is not deleted.
      </DeleteDialog>
    </>
  );
}
