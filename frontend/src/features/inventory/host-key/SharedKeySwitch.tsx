import { Stack, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import { useShareHostKey } from '../../../api/queries/inventory/servers';
import type { Server } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';

/** Lets admins mark the accepted key as shared by several machines, such as clones of one image. */
export function SharedKeySwitch({ server }: { server: Server }) {
  const share = useShareHostKey();
  const [reason, setReason] = useState('');
  const shared = server.hostKey?.shared ?? false;
  const say = () =>
    share.mutate({ id: server.id, shared: !shared, ...(reason.trim() ? { reason: reason.trim() } : {}) });
  return (
    <Stack gap="xs">
      <Can role="admin">
        <Switch
          label="Several machines share this key"
          description="Other environments cannot use a host with the key of a protected server. Enable this for copies of one image with the same key: Runward then identifies machines only by address. Applies to all servers with this key."
          checked={shared}
          disabled={share.isPending}
          onChange={say}
        />
      </Can>
      {!shared && (
        <TextInput
          label="Reason (for the audit trail)"
          value={reason}
          maxLength={1000}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      )}
      {Boolean(share.error) && <ErrorPanel error={share.error} />}
    </Stack>
  );
}
