import { Badge, Group } from '@mantine/core';
import type { Server } from '../../../api/types';

export function Tags({ tags }: { tags: Server['tags'] }) {
  return (
    <Group gap={4}>
      {Object.entries(tags).map(([key, value]) => (
        <Badge key={key} variant="light" color="gray" tt="none" radius="sm" fw={500} maw="100%">
          {value === '' ? key : `${key}=${value}`}
        </Badge>
      ))}
    </Group>
  );
}
