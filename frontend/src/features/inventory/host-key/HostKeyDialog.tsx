import { Button } from '@mantine/core';
import type { Server } from '../../../api/types';
import { HostKeyReview } from './HostKeyReview';
import { hostKeyState } from './host-key-state';
import { FormModal } from '../../../ui/forms/FormOverlay';

interface Props {
  server: Server;
  onAccepted: () => void;
  onClose: () => void;
}

export function HostKeyDialog({ server, onAccepted, onClose }: Props) {
  if (hostKeyState(server) === 'unseen') return null;
  return (
    <FormModal opened onClose={onClose} title={`Host key of ${server.name}`} size="lg">
      <HostKeyReview
        server={server}
        onAccepted={onAccepted}
        beside={
          <Button variant="default" onClick={onClose}>
            {hostKeyState(server) === 'accepted' ? 'Close' : 'Not now'}
          </Button>
        }
      />
    </FormModal>
  );
}
