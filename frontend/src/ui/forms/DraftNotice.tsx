import { Alert, Button, Group, Text } from '@mantine/core';
import { IconRestore } from '@tabler/icons-react';

interface Props {
  /** Whether the record has changed since the edits. */
  isOutdated: boolean;
  onRestore: () => void;
  onDiscard: () => void;
}

/** Offers the edits that were not saved before a reload. */
export function DraftNotice({ isOutdated, onRestore, onDiscard }: Props) {
  return (
    <Alert color="blue" py={8} mb="md" role="status" icon={<IconRestore aria-hidden />}>
      <Group justify="space-between" gap="sm">
        <Text flex="1 1 240px">
          This tab has unsaved edits. {isOutdated && 'The record was saved since. Compare before you save.'}
        </Text>
        <Group gap="xs">
          <Button variant="default" onClick={onDiscard}>
            Discard them
          </Button>
          <Button onClick={onRestore}>Restore unsaved edits</Button>
        </Group>
      </Group>
    </Alert>
  );
}
