import { Box, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconRotate } from '@tabler/icons-react';
import { rotationsQuery } from '../../../api/queries/inventory/key-rotations';
import type { Rotation } from '../../../api/types';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { AnchorLink } from '../../../ui/page/links';
import { type Column, DataTable } from '../../../ui/tables/DataTable';
import { listState } from '../../../ui/tables/list-state';
import { progressText } from './rotation-states';
import { RotationBadge } from './RotationBadge';

/** @param sshKeyId only rotations from or to this key */
export function RotationsTable({ sshKeyId }: { sshKeyId?: string }) {
  const rotations = useInfiniteQuery(rotationsQuery(sshKeyId));
  return (
    <DataTable
      label="Rotations"
      list={listState(rotations)}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      empty={
        <EmptyState icon={IconRotate} title={sshKeyId ? 'No rotations of this key' : 'No rotations yet'}>
          A rotation installs a new key on all hosts of a key, tests it, and then removes the old key.
        </EmptyState>
      }
    />
  );
}

const COLUMNS: Column<Rotation>[] = [
  {
    key: 'key',
    title: 'Key',
    render: (rotation) => (
      <Stack gap={0} align="flex-start">
        <AnchorLink to="/keys/rotations/$id" params={{ id: rotation.id }} search={{}} fw={550}>
          {rotation.keyName}
        </AnchorLink>
        <Text size="xs" c="dimmed">
          {progressText(rotation)}
        </Text>
        <Box hiddenFrom="sm" mt={2}>
          <RotationBadge rotation={rotation} />
        </Box>
      </Stack>
    ),
  },
  { key: 'state', title: 'State', from: 'sm', width: 190, render: (rotation) => <RotationBadge rotation={rotation} /> },
  { key: 'who', title: 'Started by', from: 'md', width: 160, render: ({ createdBy }) => createdBy.name },
  { key: 'when', title: 'Started', width: 120, render: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  {
    key: 'over',
    title: 'Ended',
    from: 'md',
    width: 120,
    render: ({ finishedAt }) => <RelativeTime at={finishedAt} never="Open" />,
  },
];
