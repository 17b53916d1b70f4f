import { Button, Group, Text } from '@mantine/core';

interface Props {
  stepKey: string;
  onUndo: () => void;
}

export function RemovedStep({ stepKey, onUndo }: Props) {
  return (
    <Group gap="xs" justify="space-between" wrap="nowrap">
      <Text size="sm" className="rw-wrap-anywhere">
        {stepKey === '' ? 'Step removed' : `Step “${stepKey}” removed`}
      </Text>
      <Button size="xs" variant="light" onClick={onUndo}>
        Undo
      </Button>
    </Group>
  );
}
