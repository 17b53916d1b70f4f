import { Alert, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconClockPause } from '@tabler/icons-react';
import { exactTime } from '../../../ui/format/format';
import { Can } from '../../../access/Can';
import { missingApproval } from '../../../access/environment-access';
import { meQuery } from '../../../api/queries/access/session';
import { protectionChangesQuery, useDecideProtectionChange } from '../../../api/queries/inventory/protection-changes';
import type { Environment, ProtectionChange } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { OverrideNotice } from '../../../ui/environments/OverrideNotice';
import { changeTexts } from '../../../ui/environments/change-texts';

const CHANGE_STATES: Record<ProtectionChange['state'], string> = {
  open: 'Waiting',
  applied: 'In effect',
  rejected: 'Rejected',
  withdrawn: 'Withdrawn',
  expired: 'Expired',
};

/** Changes that weaken the protection: the open one, the last emergency override, and earlier ones. */
export function ProtectionChanges({ environment }: { environment: Environment }) {
  const changes = useQuery(protectionChangesQuery(environment.id));
  const items = changes.data?.items ?? [];
  const closed = items.filter(({ state }) => state !== 'open');
  return (
    <Stack gap="md">
      <OverrideNotice override={environment.protectionOverride} />
      {changes.error && <ErrorPanel error={changes.error} onRetry={() => void changes.refetch()} />}
      {items
        .filter(({ state }) => state === 'open')
        .map((change) => (
          <PendingChange key={change.id} change={change} environment={environment} />
        ))}
      {closed.length > 0 && (
        <Paper p="md">
          <Text fw={550} mb="xs">
            Recent changes that weaken the protection
          </Text>
          <Stack gap={6}>
            {closed.map((change) => (
              <Text key={change.id} size="sm">
                {CHANGE_STATES[change.state]}
                {change.override ? ' by emergency override' : ''}: {changeTexts(change.settings).join('. ')}. Requested
                by {change.requestedBy.name}, <RelativeTime at={change.requestedAt} />
                {change.decidedBy && !change.override ? `; decided by ${change.decidedBy.name}` : ''}.
              </Text>
            ))}
          </Stack>
        </Paper>
      )}
    </Stack>
  );
}

function PendingChange({ change, environment }: { change: ProtectionChange; environment: Environment }) {
  const { data: me } = useQuery(meQuery);
  const decide = useDecideProtectionChange(change.environmentId);
  const own = change.requestedBy.id === me?.id;
  const { effectiveAt } = change;
  // The API sends the time in UTC.
  const obstacle =
    effectiveAt === null
      ? (change.currentUserObstacle?.text ?? null)
      : change.currentUserObstacle?.text?.replace(effectiveAt, exactTime(effectiveAt));
  return (
    <Alert color="yellow" icon={<IconClockPause aria-hidden />} title="Protection change waiting">
      <Stack gap="xs">
        {changeTexts(change.settings).map((text) => (
          <Text key={text}>{text}.</Text>
        ))}
        <Text>
          {change.requestedBy.name}: {change.reason}
        </Text>
        {obstacle && <Text c="dimmed">{obstacle}</Text>}
        {decide.error && <ErrorPanel error={decide.error} />}
        <Group gap="xs">
          <Can role="viewer" unless={obstacle}>
            <Button loading={decide.isPending} onClick={() => decide.mutate({ changeId: change.id, verb: 'agree' })}>
              {own ? 'Apply change' : 'Agree to change'}
            </Button>
          </Can>
          <Can role="viewer" unless={missingApproval(me?.role, environment)}>
            <Button
              variant="default"
              loading={decide.isPending}
              onClick={() => decide.mutate({ changeId: change.id, verb: 'reject' })}
            >
              {own ? 'Withdraw request' : 'Reject change'}
            </Button>
          </Can>
        </Group>
      </Stack>
    </Alert>
  );
}
