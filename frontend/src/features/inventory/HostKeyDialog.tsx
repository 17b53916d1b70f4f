import { Alert, Box, Button, Checkbox, Code, Group, Modal, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { useAcceptHostKey } from '../../api/queries/servers';
import type { HostKey, Server } from '../../api/types';
import { CopyButton } from '../../ui/copy/CopyButton';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { hostKeyState } from './host-key-state';
import { SharedKeySwitch } from './SharedKeySwitch';

const COMMAND = 'for f in /etc/ssh/ssh_host_*_key.pub; do ssh-keygen -lf "$f"; done';

/** To compare the key that the host presented with the expected one, and accept it; or to view the accepted key. */
export function HostKeyDialog({ server, onClose }: { server: Server; onClose: () => void }) {
  const accept = useAcceptHostKey();
  const [compared, setCompared] = useState(false);
  const state = hostKeyState(server);
  const changed = state === 'changed';
  const seen = server.seenHostKey ?? server.hostKey;
  if (!seen) return null;
  return (
    <Modal opened onClose={onClose} title={`Host key of ${server.name}`} size="lg">
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
            checked={compared}
            onChange={(event) => setCompared(event.currentTarget.checked)}
            label="I compared the new fingerprint with the host’s own"
          />
        )}
        {server.hostKey && <SharedKeySwitch server={server} />}
        {Boolean(accept.error) && <ErrorPanel error={accept.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {state === 'accepted' ? 'Close' : 'Not now'}
          </Button>
          {state !== 'accepted' && (
            <Button
              color={changed ? 'red' : undefined}
              disabled={changed && !compared}
              loading={accept.isPending}
              onClick={() => accept.mutate({ id: server.id, fingerprint: seen.fingerprint }, { onSuccess: onClose })}
            >
              {changed ? 'Accept the new key' : 'Accept key'}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

function Fingerprint({ title, hostKey }: { title: string; hostKey: HostKey }) {
  return (
    <Box>
      <Text size="xs" c="dimmed">
        {title} ({hostKey.type})
      </Text>
      <Text className="rw-mono" style={{ overflowWrap: 'anywhere' }}>
        {hostKey.fingerprint}
      </Text>
    </Box>
  );
}
