import { Paper } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { CheckButton } from '../checks/CheckButton';
import { HostKeyReview } from '../host-key/HostKeyReview';
import { hostKeyState } from '../host-key/host-key-state';
import type { ServerTabProps } from './server-tab';

const doNothing = () => undefined;

export function HostKeyTab({ server, unless }: ServerTabProps) {
  if (hostKeyState(server) === 'unseen')
    return (
      <Paper>
        <EmptyState
          icon={IconKey}
          title="No host key yet"
          action={<CheckButton server={server} unless={unless} onReview={doNothing} />}
        >
          Nobody has seen the key of this host. The first check shows it, and you accept it here.
        </EmptyState>
      </Paper>
    );
  return (
    <Paper component="section" aria-label="Host key" p="md" maw={820}>
      <HostKeyReview server={server} unless={unless} />
    </Paper>
  );
}
