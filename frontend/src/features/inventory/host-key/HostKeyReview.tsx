import { Alert, Box, Button, Checkbox, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Can } from '../../../access/Can';
import { useHostObstacles } from '../../../access/useHostObstacles';
import { useAcceptHostKey } from '../../../api/queries/inventory/servers';
import type { HostKey, Server } from '../../../api/types';
import { CopyButton } from '../../../ui/copy/CopyButton';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { ConfirmHosts } from '../../../ui/forms/ConfirmHosts';
import { toProblem } from '../../../api/errors';
import { hostKeyState } from './host-key-state';
import { SharedKeySwitch } from './SharedKeySwitch';

const COMMAND = 'for f in /etc/ssh/ssh_host_*_key.pub; do ssh-keygen -lf "$f"; done';

interface Props {
  /** One of which a key is known. */
  server: Server;
  /** Why the member can not accept keys of this server although the role suffices; null: nothing. */
  unless?: string | null;
  /** A button beside the one that accepts. */
  beside?: ReactNode;
  onAccepted?: () => void;
}

/** To compare the key that the host presented with the expected one, and accept it; or to view the accepted key. */
export function HostKeyReview({ server, unless = null, beside, onAccepted }: Props) {
  const accept = useAcceptHostKey();
  const obstacle = useHostObstacles(server).change;
  const [compared, setCompared] = useState<string | null>(null);
  const state = hostKeyState(server);
  const changed = state === 'changed';
  const seen = server.seenHostKey ?? server.hostKey;
  if (!seen) return null;
  const acceptKey = (confirmHosts?: true) =>
    accept.mutate({ id: server.id, fingerprint: seen.fingerprint, confirmHosts }, { onSuccess: onAccepted });
  return (
    <Stack gap="md">
      {changed ? (
        <Alert
          color="red"
          icon={<IconAlertTriangle aria-hidden />}
          title="This host shows another key than the accepted one"
        >
          That happens when a host is set up anew, and also when somebody stands between. Runs stop here until you
          accept the new key. Find out why it changed first.
        </Alert>
      ) : state === 'accepted' ? (
        <Text>Runs sign in to this server only where it shows this key.</Text>
      ) : (
        <Text>
          {server.hostname}:{server.port} showed this key. Compare it with the host’s own, on its console or where you
          trust what you see.
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, sm: changed ? 2 : 1 }}>
        {changed && server.hostKey && <Fingerprint title="Accepted before" hostKey={server.hostKey} />}
        <Fingerprint title={changed ? 'Shown now' : 'Fingerprint'} hostKey={seen} />
      </SimpleGrid>
      <Box>
        <Text size="xs" c="dimmed" mb={4}>
          On the host, this prints its keys:
        </Text>
        <Group gap={6} wrap="nowrap">
          <Code style={{ overflowX: 'auto', whiteSpace: 'nowrap' }} tabIndex={0}>
            {COMMAND}
          </Code>
          <CopyButton value={COMMAND} what="command" />
        </Group>
      </Box>
      {changed && (
        <Checkbox
          checked={compared === seen.fingerprint}
          onChange={(event) => setCompared(event.currentTarget.checked ? seen.fingerprint : null)}
          label="I compared the new fingerprint with the host’s own"
        />
      )}
      {server.hostKey && <SharedKeySwitch server={server} />}
      {state !== 'accepted' && obstacle !== null && <Text c="dimmed">{obstacle}.</Text>}
      {Boolean(accept.error) && <ErrorPanel error={accept.error} />}
      <ConfirmHosts
        problem={accept.error && toProblem(accept.error)}
        pending={accept.isPending}
        label="Confirm host and accept key"
        onConfirm={() => acceptKey(true)}
      />
      <Group justify="flex-end" gap="xs">
        {beside}
        {state !== 'accepted' && (
          <Can role="operator" unless={unless ?? obstacle}>
            <Button
              color={changed ? 'red' : undefined}
              disabled={changed && compared !== seen.fingerprint}
              loading={accept.isPending}
              onClick={() => acceptKey()}
            >
              {changed ? 'Accept the new key' : 'Accept key'}
            </Button>
          </Can>
        )}
      </Group>
    </Stack>
  );
}

function Fingerprint({ title, hostKey }: { title: string; hostKey: HostKey }) {
  return (
    <Box>
      <Text size="xs" c="dimmed">
        {title} ({hostKey.type})
      </Text>
      <Group gap={6} wrap="nowrap" align="flex-start">
        <Text className="rw-mono" style={{ overflowWrap: 'anywhere' }}>
          {hostKey.fingerprint}
        </Text>
        <CopyButton value={hostKey.fingerprint} what="fingerprint" />
      </Group>
    </Box>
  );
}
