import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  onClose: () => void;
  pending: boolean;
  /** Label of the submit button. */
  children: ReactNode;
}

/** The buttons below the form of a dialog. */
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
