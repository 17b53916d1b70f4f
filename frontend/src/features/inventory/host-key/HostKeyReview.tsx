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
  /** Server whose host has presented a key. */
  server: Server;
  /** Additional reason why the member can't accept keys of this server; null: none. */
  unless?: string | null;
  beside?: ReactNode;
  onAccepted?: () => void;
}

/** Shows the accepted host key, or a presented host key to review and accept. */
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
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title="The host key has changed">
          The host may have been reinstalled, or an attacker may intercept the connection. Find out why the key changed
          before you accept it. Until then, runs fail on this server.
        </Alert>
      ) : state === 'accepted' ? (
        <Text>Runs connect to this server only if it has this key.</Text>
      ) : (
        <Text>
          {server.hostname}:{server.port} presented this key. Compare it with the key on the host, for example on its
          console.
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, sm: changed ? 2 : 1 }}>
        {changed && server.hostKey && <Fingerprint title="Accepted key" hostKey={server.hostKey} />}
        <Fingerprint title={changed ? 'Current key' : 'Fingerprint'} hostKey={seen} />
      </SimpleGrid>
      <Box>
        <Text size="xs" c="dimmed" mb={4}>
          To print the keys on the host:
        </Text>
        <Group gap={6} wrap="nowrap">
          <Code className="rw-scroll rw-nowrap" tabIndex={0}>
            {COMMAND}
          </Code>
          <CopyButton value={COMMAND} what="command" />
        </Group>
      </Box>
      {changed && (
        <Checkbox
          checked={compared === seen.fingerprint}
          onChange={(event) => setCompared(event.currentTarget.checked ? seen.fingerprint : null)}
          label="I compared the new fingerprint with the key on the host"
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
              {changed ? 'Accept new key' : 'Accept key'}
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
        <Text className="rw-mono rw-wrap-anywhere">{hostKey.fingerprint}</Text>
        <CopyButton value={hostKey.fingerprint} what="fingerprint" />
      </Group>
    </Box>
  );
}
