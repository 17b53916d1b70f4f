import { Button } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import { useCheckServer } from '../../../api/queries/inventory/server-checks';
import type { Server } from '../../../api/types';
import { notifyCheckResult, notifyFailedCheck } from './check-result';

interface Props {
  server: Server;
  /** Additional reason why the member can't check the server; null: none. */
  unless?: string | null;
  onReview: (id: string) => void;
}

/** Checks a server. Opens a new or changed host key for review. */
export function CheckButton({ server, unless, onReview }: Props) {
  const check = useCheckServer();
  const run = () =>
    check.mutate(server.id, {
      onSuccess: (found) => {
        if (notifyCheckResult(found)) onReview(found.id);
      },
      onError: (error) => notifyFailedCheck(server.name, error),
    });
  return (
    <Can role="operator" unless={unless}>
      <Button
        variant="default"
        aria-label={`Check ${server.name}`}
        loading={check.isPending}
        onClick={run}
        leftSection={<IconPlugConnected size={14} aria-hidden />}
      >
        Check
      </Button>
    </Can>
  );
}
