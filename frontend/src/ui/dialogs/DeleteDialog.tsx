import type { ReactNode } from 'react';
import { ConfirmDialog } from './ConfirmDialog';

interface Props<T> {
  /** Record to delete; null = closed. */
  record: T | null;
  name: string | undefined;
  confirm: string;
  remove: {
    mutate: (record: T, options: { onSuccess: () => void }) => void;
    reset: () => void;
    isPending: boolean;
    error: unknown;
  };
  onDeleted: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** Asks before a record is deleted. */
export function DeleteDialog<T>(props: Props<T>) {
  const { record, name, confirm, remove, onDeleted, onClose, children } = props;
  return (
    <ConfirmDialog
      opened={record !== null}
      title={`Delete ${name ?? ''}?`}
      confirm={confirm}
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => record && remove.mutate(record, { onSuccess: onDeleted })}
      onClose={() => {
        remove.reset();
        onClose();
      }}
    >
      {children}
    </ConfirmDialog>
  );
}
