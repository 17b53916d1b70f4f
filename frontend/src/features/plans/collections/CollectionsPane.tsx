import { Paper, Stack } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import type { UseQueryResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IconFolderPlus, IconFolders } from '@tabler/icons-react';
import { useState } from 'react';
import type { Collection } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { CollectionDialog } from './CollectionDialog';
import { CollectionTree } from './CollectionTree';
import { ActionButton } from '../../../ui/page/ActionButton';

interface Props {
  collections: UseQueryResult<Collection[]>;
  selected: string | undefined;
}

/** Shows the tree beside the list. On narrow screens, a button opens it. */
export function CollectionsPane({ collections: { data, error, refetch }, selected }: Props) {
  const navigate = useNavigate({ from: '/plans' });
  const narrow = useMediaQuery('(max-width: 62em)', false, { getInitialValueInEffect: false });
  const [opened, { toggle }] = useDisclosure();
  const [dialogOpen, setDialogOpen] = useState(false);
  return (
    <Stack gap="xs">
      {narrow && (
        <ActionButton icon={IconFolders} aria-expanded={opened} onClick={toggle} className="rw-align-start">
          Collections
        </ActionButton>
      )}
      {(!narrow || opened) && (
        <Paper p="xs">
          {data ? (
            <CollectionTree collections={data} selected={selected} />
          ) : error ? (
            <ErrorPanel error={error} onRetry={() => void refetch()} />
          ) : (
            <RowsSkeleton rows={4} />
          )}
          <ActionButton
            role="operator"
            icon={IconFolderPlus}
            mt={6}
            variant="subtle"
            onClick={() => setDialogOpen(true)}
          >
            New collection
          </ActionButton>
        </Paper>
      )}
      {dialogOpen && (
        <CollectionDialog
          current={null}
          parentId={null}
          onClose={() => setDialogOpen(false)}
          onSaved={({ id }) => {
            setDialogOpen(false);
            void navigate({ search: (before) => ({ ...before, collection: id }) });
          }}
        />
      )}
    </Stack>
  );
}
