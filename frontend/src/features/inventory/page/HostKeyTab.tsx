import { Paper, Stack } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { CheckButton } from '../checks/CheckButton';
import { HostKeyReview } from '../host-key/HostKeyReview';
import { PinHistory } from '../host-key/PinHistory';
import { ProtectionPanel } from '../host-key/ProtectionPanel';
import { hostKeyState } from '../host-key/host-key-state';
import type { ServerTabProps } from './server-tab';

const doNothing = () => undefined;

export function HostKeyTab({ server, unless }: ServerTabProps) {
  return (
    <Stack gap="md" maw={820}>
      {hostKeyState(server) === 'unseen' ? (
        <Paper>
          <EmptyState
            icon={IconKey}
            title="No host key yet"
            action={<CheckButton server={server} unless={unless} onReview={doNothing} />}
          >
            The host key is not known yet. The first check reads it, and you accept it here.
          </EmptyState>
        </Paper>
      ) : (
        <Paper component="section" aria-label="Host key" p="md">
          <HostKeyReview server={server} unless={unless} />
        </Paper>
      )}
      <ProtectionPanel server={server} />
      <Paper component="section" aria-label="Pinned keys" p="md">
        <PinHistory server={server} />
      </Paper>
    </Stack>
  );
}
