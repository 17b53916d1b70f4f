import { Button, Text } from '@mantine/core';
import { IconKeyOff, IconShieldCheck } from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import type { Server } from '../../../api/types';
import { hostKeyState } from './host-key-state';

/** Shows the state of a server's host key, with a review button if the key needs review. */
export function HostKeyCell({ server, onReview }: { server: Server; onReview: () => void }) {
  const state = hostKeyState(server);
  if (state === 'unseen') return <Text c="dimmed">Check first</Text>;
  if (state === 'accepted') {
    const label = server.hostKey?.shared ? 'Accepted, shared' : 'Accepted';
    return (
      <Button
        variant="subtle"
        color="green"
        leftSection={<IconShieldCheck size={15} aria-hidden />}
        title={server.hostKey?.fingerprint}
        onClick={onReview}
        aria-label={`${label} key of ${server.name}`}
      >
        {label}
      </Button>
    );
  }
  const changed = state === 'changed';
  return (
    <Can role="operator">
      <Button
        variant="light"
        color={changed ? 'red' : 'yellow'}
        leftSection={changed ? <IconKeyOff size={14} aria-hidden /> : undefined}
        onClick={onReview}
        aria-label={`${changed ? 'Key changed' : 'Review key'}: ${server.name}`}
      >
        {changed ? 'Key changed' : 'Review key'}
      </Button>
    </Can>
  );
}
