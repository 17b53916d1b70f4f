import { Group, Stack, Text, Title } from '@mantine/core';
import type { Collection } from '../../../api/types';
import { FrozenBadge } from '../../../ui/collections/FrozenBadge';
import { AnchorLink } from '../../../ui/page/links';
import { CollectionActions } from './CollectionActions';
import { FreezeFacts } from './FreezeFacts';
import { Description } from '../../../ui/page/Description';

interface Props {
  collection: Collection;
  all: readonly Collection[];
}

export function CollectionHeader({ collection, all }: Props) {
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
          {collection.description && (
            <Text c="dimmed" component="div">
              <Description>{collection.description}</Description>
            </Text>
          )}
        </Stack>
        <Group gap="xs">
          <CollectionActions collection={collection} all={all} />
        </Group>
      </Group>
      <FreezeFacts collection={collection} />
    </Stack>
  );
}
