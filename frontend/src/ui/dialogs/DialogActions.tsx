import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  onClose: () => void;
  pending: boolean;
  children: ReactNode;
}

export function DialogActions({ onClose, pending, children }: Props) {
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onClose}>
        Close
      </Button>
      <Button type="submit" loading={pending}>
        {children}
      </Button>
    </Group>
  );
}
