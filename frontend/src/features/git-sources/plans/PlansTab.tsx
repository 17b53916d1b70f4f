import { Alert, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { IconFolderCog, IconListDetails } from '@tabler/icons-react';
import { type ReactNode, useEffect } from 'react';
import { collectionsQuery } from '../../../api/queries/plans/collections';
import type { GitSource } from '../../../api/types';
import { pathText } from '../../../ui/collections/collection-tree';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { AnchorLink } from '../../../ui/page/links';
import { folderName } from './folder-form';
import { PlanFoldersDialog } from './PlanFoldersDialog';
import { PlanSyncs } from './PlanSyncs';
import { ActionButton } from '../../../ui/page/ActionButton';

export function PlansTab({ source }: { source: GitSource }) {
  const [editing, { open, close }] = useDisclosure();
  const client = useQueryClient();
  const latest = source.planSync?.id;
  // Refetches lists, because a worker may have created plans that the cached lists do not contain.
  useEffect(() => {
    for (const key of ['plans', 'collections']) void client.invalidateQueries({ queryKey: [key] });
  }, [client, latest]);
  const none = source.planFolders.length === 0;
  const edit = (
    <ActionButton role="operator" icon={IconFolderCog} variant={none ? 'filled' : 'default'} onClick={open}>
      {none ? 'Choose folders' : 'Change folders'}
    </ActionButton>
  );
  return (
    <Stack gap="md">
      {none ? (
        <EmptyState icon={IconListDetails} title="No plan folders" action={edit}>
          Choose a folder. Each YAML file in it becomes a plan that is updated with every commit.
        </EmptyState>
      ) : (
        <Folders source={source} action={edit} />
      )}
      {source.planSyncPending && source.commit !== null && (
        <Alert color="blue" py="xs" role="status">
          Creating plans from the latest commit…
        </Alert>
      )}
      {(!none || source.planSync !== null) && <PlanSyncs source={source} />}
      {editing && <PlanFoldersDialog source={source} onClose={close} />}
    </Stack>
  );
}

function Folders({ source, action }: { source: GitSource; action: ReactNode }) {
  const collections = useQuery(collectionsQuery);
  return (
    <Paper component="section" aria-label="Plan folders" p="md">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          Folders
        </Title>
        {action}
      </Group>
      <Stack component="ul" gap="xs" className="rw-plain-list">
        {source.planFolders.map(({ path, collectionId, setUpBy }) => {
          const collection = collections.data?.find(({ id }) => id === collectionId);
          return (
            <li key={path}>
              <Text component="div" className="rw-wrap-anywhere">
                <span className={path === '' ? undefined : 'rw-mono'}>{folderName(path)}</span>
                {' → '}
                <AnchorLink to="/plans" search={{ collection: collectionId }} underline="always">
                  {collection ? pathText(collection) : '…'}
                </AnchorLink>
              </Text>
              <Text size="xs" c={setUpBy === null ? 'var(--mantine-color-error)' : 'dimmed'}>
                {setUpBy === null
                  ? `The member who configured the folders was removed. Plans are not updated until another member saves the folders.`
                  : `With the rights of ${setUpBy.name}`}
              </Text>
            </li>
          );
        })}
      </Stack>
    </Paper>
  );
}
