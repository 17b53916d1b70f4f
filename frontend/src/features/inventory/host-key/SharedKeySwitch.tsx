import { Stack, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import { useShareHostKey } from '../../../api/queries/inventory/servers';
import type { Server } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';

/** Lets an admin mark the accepted key as shared by several machines, such as clones of one image. */
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
          label="Several machines show this key"
          description="A host with the key of a server in a protected environment is refused elsewhere, as that machine. For copies of one image that keep its key, say so here: then only addresses tell machines apart. It holds for all servers with this key."
          checked={shared}
          disabled={share.isPending}
          onChange={say}
        />
      </Can>
      {!shared && (
        <TextInput
          label="Why (for the audit trail)"
          value={reason}
          maxLength={1000}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      )}
      {Boolean(share.error) && <ErrorPanel error={share.error} />}
    </Stack>
  );
}
