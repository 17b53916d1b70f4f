import { Button } from '@mantine/core';
import { DialogBar } from './DialogBar';
import type { ReactNode } from 'react';

interface Props {
  onClose: () => void;
  pending: boolean;
  children: ReactNode;
}

export function DialogActions({ onClose, pending, children }: Props) {
  return (
    <DialogBar>
      <Button variant="default" onClick={onClose}>
        Close
      </Button>
      <Button type="submit" loading={pending}>
        {children}
      </Button>
    </DialogBar>
  );
}
