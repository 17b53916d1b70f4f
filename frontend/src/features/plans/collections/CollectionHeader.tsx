import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { IconFolderPlus, IconPencil, IconSnowflake, IconSnowflakeOff, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import { useDeleteCollection, useUpdateCollection } from '../../../api/queries/plans/collections';
import type { Collection } from '../../../api/types';
import { childrenOf } from '../../../ui/collections/collection-tree';
import { FrozenBadge } from '../../../ui/collections/FrozenBadge';
import { useNow } from '../../../ui/format/useNow';
import { ConfirmDialog } from '../../../ui/forms/ConfirmDialog';
import { AnchorLink } from '../../../ui/page/links';
import { CollectionDialog } from './CollectionDialog';
import { obstacleToDeletion } from './collection-text';
import { FreezeDialog } from './FreezeDialog';
import { FreezeFacts } from './FreezeFacts';
import { freezeState } from './freeze-form';

interface Props {
  collection: Collection;
  all: readonly Collection[];
}

type OpenDialog = 'edit' | 'new' | 'freeze' | 'lift' | 'delete' | null;

export function CollectionHeader({ collection, all }: Props) {
  const navigate = useNavigate({ from: '/plans' });
  const remove = useDeleteCollection();
  const update = useUpdateCollection();
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const now = useNow();
  const state = freezeState(collection, now);
  const close = () => {
    remove.reset();
    update.reset();
    setDialog(null);
  };
  const choose = (id: string | undefined) => void navigate({ search: (before) => ({ ...before, collection: id }) });
  return (
    <Stack gap="xs" mb="md">
      <Group justify="space-between" align="flex-start" gap="xs">
        <Stack gap={0} miw={0} flex="1 1 260px">
          {collection.path.length > 0 && (
            <Text size="xs" c="dimmed" component="div">
              {collection.path.map(({ id, name }) => (
                <span key={id}>
                  <AnchorLink to="/plans" search={(before) => ({ ...before, collection: id })} size="xs">
                    {name}
                  </AnchorLink>
                  {' › '}
                </span>
              ))}
            </Text>
          )}
          <Group gap="sm">
            <Title order={2} size="h4" className="rw-wrap-anywhere">
              {collection.name}
            </Title>
            <FrozenBadge freeze={collection.frozenBy} />
          </Group>
          {collection.description && <Text c="dimmed">{collection.description}</Text>}
        </Stack>
        <Group gap="xs">
          <Can role="operator">
            <Button
              variant="default"
              leftSection={<IconFolderPlus size={15} aria-hidden />}
              onClick={() => setDialog('new')}
            >
              New subcollection
            </Button>
          </Can>
          <Can role="operator">
            <Button
              variant="default"
              leftSection={<IconPencil size={15} aria-hidden />}
              onClick={() => setDialog('edit')}
            >
              Rename or move
            </Button>
          </Can>
          <Can role="admin">
            <Button
              variant="default"
              leftSection={<IconSnowflake size={15} aria-hidden />}
              onClick={() => setDialog('freeze')}
            >
              {state === 'none' ? 'Freeze' : 'Change freeze'}
            </Button>
          </Can>
          {state !== 'none' && (
            <Can role="admin">
              <Button
                variant="default"
                leftSection={<IconSnowflakeOff size={15} aria-hidden />}
                onClick={() => setDialog('lift')}
              >
                Lift freeze
              </Button>
            </Can>
          )}
          <Can role="operator" unless={obstacleToDeletion(collection, childrenOf(all, collection.id).length)}>
            <Button
              variant="default"
              c="var(--mantine-color-error)"
              leftSection={<IconTrash size={15} aria-hidden />}
              onClick={() => setDialog('delete')}
            >
              Delete
            </Button>
          </Can>
        </Group>
      </Group>
      <FreezeFacts collection={collection} />
      {dialog === 'edit' && <CollectionDialog current={collection} parentId={null} onClose={close} onSaved={close} />}
      {dialog === 'new' && (
        <CollectionDialog
          current={null}
          parentId={collection.id}
          onClose={close}
          onSaved={({ id }) => {
            close();
            choose(id);
          }}
        />
      )}
      {dialog === 'freeze' && <FreezeDialog collection={collection} onClose={close} />}
      <ConfirmDialog
        opened={dialog === 'lift'}
        title={`Lift freeze of ${collection.name}?`}
        confirm="Lift freeze"
        color="iris"
        pending={update.isPending}
        error={update.error}
        onConfirm={() => update.mutate({ collection, body: { freeze: null } }, { onSuccess: close })}
        onClose={close}
      >
        Its plans can start again. Runs that wait for the end of the freeze start now, unless another freeze applies.
      </ConfirmDialog>
      <ConfirmDialog
        opened={dialog === 'delete'}
        title={`Delete ${collection.name}?`}
        confirm="Delete collection"
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() =>
          remove.mutate(collection, {
            onSuccess: () => {
              close();
              choose(collection.parentId ?? undefined);
            },
          })
        }
        onClose={close}
      >
        It contains nothing that you can view. If it contains plans that you cannot view, it is not deleted.
      </ConfirmDialog>
    </Stack>
  );
}
