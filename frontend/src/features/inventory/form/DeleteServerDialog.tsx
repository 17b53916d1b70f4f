import { useDeleteServer } from '../../../api/queries/inventory/servers';
import type { Server } from '../../../api/types';
import { ConfirmDialog } from '../../../ui/dialogs/ConfirmDialog';

interface Props {
  server: Server;
  onDeleted: () => void;
  onClose: () => void;
}

export function DeleteServerDialog({ server, onDeleted, onClose }: Props) {
  const remove = useDeleteServer();
  return (
    <ConfirmDialog
      opened
      title={`Delete ${server.name}?`}
      confirm="Delete server"
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(server, { onSuccess: onDeleted })}
      onClose={onClose}
    >
      Deletes the server and its accepted host key from Runward. Earlier runs are kept. Nothing changes on the host.
    </ConfirmDialog>
  );
}
