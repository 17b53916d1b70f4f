import { Alert, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { usePreviewImport } from '../../../api/queries/inventory/imports';
import type { ImportServersRequest, ServerImport } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { OtherServers } from '../../../ui/feedback/OtherServers';
import { ConfirmHosts } from '../../../ui/forms/ConfirmHosts';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';

interface Props {
  found: ServerImport;
  /** Returns the request with the text; null: the text is not available. */
  order: (() => ImportServersRequest) | null;
  onPreview: (preview: ServerImport) => void;
}

/** Lists conflicting servers of other environments. An admin confirms the hosts with another preview. */
export function OtherHosts({ found, order, onPreview }: Props) {
  const preview = usePreviewImport();
  const attempt = useIdempotencyKey();
  const { otherServers, hiddenServers } = found;
  if (otherServers.length + hiddenServers === 0) return null;
  const confirm = () => {
    if (!order) return;
    const body = { ...order(), confirmHosts: true };
    preview.mutate(
      { body, key: attempt.keyFor(body) },
      { onSuccess: onPreview, onError: (error) => attempt.refused(error) },
    );
  };
  return (
    <Alert color="yellow" role="status" icon={<IconAlertTriangle aria-hidden />} title="Hosts of other environments">
      <Stack gap="xs">
        <OtherServers servers={otherServers} hidden={hiddenServers} />
        {preview.error && <ErrorPanel error={preview.error} />}
        {order ? (
          <ConfirmHosts
            problem={{ code: 'host_proved_elsewhere' }}
            pending={preview.isPending}
            label="Confirm hosts and preview again"
            onConfirm={confirm}
          />
        ) : (
          <Text>To confirm these hosts, an admin must preview the text again.</Text>
        )}
      </Stack>
    </Alert>
  );
}
